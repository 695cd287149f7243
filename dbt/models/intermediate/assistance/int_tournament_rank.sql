with run_rank as (
    select * from {{ ref('int_tournament_run_rank') }}
),

summary as (
    select
        task,
        mode,
        candidate,
        {{ exact_avg('mean_rank') }} as mean_rank,
        stddev_samp(mean_rank) / sqrt(count(*)) as se_rank,
        {{ exact_avg('mean_rank_scaled') }} as mean_rank_scaled,
        {{ exact_avg('win_share') }} as win_share,
        {{ exact_avg('score_z') }} as score_z,
        {{ exact_avg('score_rank') }} as mean_score_rank,
        cast(count(*) as bigint) as n_runs,
        cast(sum(n_comparisons) as bigint) as n_comparisons,
        max(case when is_unaided then 1 else 0 end) = 1 as is_unaided,
        max(case when is_worker then 1 else 0 end) = 1 as is_worker
    from run_rank
    group by task, mode, candidate
),

final as (
    select
        *,
        rank() over (partition by task, mode order by {{ nine_decimals('mean_rank') }}) as rank,
        rank() over (partition by task, mode order by {{ nine_decimals('mean_rank_scaled') }}) as rank_scaled,
        case
            when mean_score_rank is not null
                then rank() over (
                    partition by task, mode, case when mean_score_rank is null then 1 else 0 end
                    order by {{ nine_decimals('mean_score_rank') }}
                )
        end as score_rank
    from summary
)

select * from final
