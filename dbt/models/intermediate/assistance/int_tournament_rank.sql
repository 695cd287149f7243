with run_rank as (
    select * from {{ ref('int_tournament_run_rank') }}
),

summary as (
    select
        task,
        mode,
        candidate,
        {{ exact_avg('mean_rank') }} as mean_rank,
        stddev_samp(mean_rank) / sqrt(count(*)) as se_over_runs,
        {{ exact_avg('mean_rank_scaled') }} as mean_rank_scaled,
        {{ exact_avg('win_share') }} as win_share,
        {{ exact_avg('weighted_win_share') }} as weighted_win_share,
        {{ exact_avg('score_z') }} as score_z,
        {{ exact_avg('score_rank') }} as mean_score_rank,
        cast(count(*) as bigint) as n_runs,
        cast(sum(n_comparisons) as bigint) as n_comparisons,
        coalesce(max(comparison_group), 1) as comparison_group,
        coalesce(max(n_groups), 1) as n_groups,
        max(case when is_unaided then 1 else 0 end) = 1 as is_unaided,
        max(case when is_worker then 1 else 0 end) = 1 as is_worker
    from run_rank
    group by task, mode, candidate
),

{# runs that agree don't make a rank certain: no less than chance over so many comparisons #}
chance as (
    select
        task,
        mode,
        candidate,
        sqrt({{ exact_sum('variance') }}) as se_rank
    from {{ ref('int_tournament_spread') }}
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
        case when summary.n_runs > 1 then greatest(summary.se_over_runs, coalesce(chance.se_rank, 0)) end as se_rank,
        cast(coalesce(missing.n_missing, 0) as bigint) as n_missing,
        coalesce(one_seat.n_one_seat, 0) as n_one_seat,
        rank() over (
            partition by summary.task, summary.mode, summary.comparison_group order by {{ nine_decimals('mean_rank') }}
        ) as rank,
        rank() over (
            partition by summary.task, summary.mode, summary.comparison_group
            order by {{ nine_decimals('mean_rank_scaled') }}
        ) as rank_scaled,
        case
            when mean_score_rank is not null
                then rank() over (
                    partition by
                        summary.task,
                        summary.mode,
                        summary.comparison_group,
                        case when mean_score_rank is null then 1 else 0 end
                    order by {{ nine_decimals('mean_score_rank') }}
                )
        end as score_rank
    from summary
    left join chance
        on summary.task = chance.task and summary.mode = chance.mode and summary.candidate = chance.candidate
    left join {{ ref('int_tournament_one_seat') }} as one_seat
        on
            summary.task = one_seat.task
            and summary.mode = one_seat.mode
            and summary.candidate = one_seat.candidate
    left join missing
        on
            summary.task = missing.task
            and summary.mode = missing.mode
            and summary.candidate = missing.candidate
)

select * from final
