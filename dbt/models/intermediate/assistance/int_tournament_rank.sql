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

lacked as (
    select
        task,
        mode,
        candidate_a as candidate
    from {{ ref('int_tournament_missing') }}
    union all
    select
        task,
        mode,
        candidate_b as candidate
    from {{ ref('int_tournament_missing') }}
),

missing as (
    select
        task,
        mode,
        candidate,
        count(*) as n_missing
    from lacked
    group by task, mode, candidate
),

final as (
    select
        summary.*,
        cast(coalesce(missing.n_missing, 0) as bigint) as n_missing,
        rank() over (partition by summary.task, summary.mode order by {{ nine_decimals('mean_rank') }}) as rank,
        rank() over (partition by summary.task, summary.mode order by {{ nine_decimals('mean_rank_scaled') }})
            as rank_scaled,
        case
            when mean_score_rank is not null
                then rank() over (
                    partition by summary.task, summary.mode, case when mean_score_rank is null then 1 else 0 end
                    order by {{ nine_decimals('mean_score_rank') }}
                )
        end as score_rank
    from summary
    left join missing
        on
            summary.task = missing.task
            and summary.mode = missing.mode
            and summary.candidate = missing.candidate
)

select * from final
