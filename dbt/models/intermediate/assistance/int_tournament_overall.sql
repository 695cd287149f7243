with run_rank as (
    select * from {{ ref('int_tournament_run_rank') }}
),

task_rank as (
    select * from {{ ref('int_tournament_rank') }}
),

by_run as (
    select
        mode,
        run,
        candidate,
        {{ exact_avg('mean_rank') }} as mean_rank
    from run_rank
    group by mode, run, candidate
),

spread as (
    select
        mode,
        candidate,
        stddev_samp(mean_rank) / sqrt(count(*)) as se_rank,
        cast(count(*) as bigint) as n_runs
    from by_run
    group by mode, candidate
),

summary as (
    select
        mode,
        candidate,
        {{ exact_avg('mean_rank') }} as mean_rank,
        {{ exact_avg('mean_rank_scaled') }} as mean_rank_scaled,
        {{ exact_avg('win_share') }} as win_share,
        {{ exact_avg('rank') }} as mean_task_rank,
        {{ exact_avg('score_rank') }} as mean_score_rank,
        cast(count(*) as bigint) as n_tasks,
        max(case when is_unaided then 1 else 0 end) = 1 as is_unaided
    from task_rank
    group by mode, candidate
),

final as (
    select
        summary.*,
        spread.se_rank,
        spread.n_runs,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_task_rank') }}) as rank,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_rank') }}) as rank_by_mean,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_rank_scaled') }})
            as rank_scaled
    from summary
    inner join spread on summary.mode = spread.mode and summary.candidate = spread.candidate
)

select * from final
