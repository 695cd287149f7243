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

unaided as (
    select
        task,
        run,
        min(mean_rank) as mean_rank
    from run_rank
    where is_unaided
    group by task, run
),

{# what is common to both in a run leaves with the difference #}
behind_by_run as (
    select
        run_rank.run,
        run_rank.candidate,
        {{ exact_avg('run_rank.mean_rank - unaided.mean_rank') }} as behind
    from run_rank
    inner join unaided on run_rank.task = unaided.task and run_rank.run = unaided.run
    where run_rank.mode = 'augmentation' and not run_rank.is_unaided
    group by run_rank.run, run_rank.candidate
),

behind as (
    select
        candidate,
        {{ exact_avg('behind') }} as behind_unaided,
        stddev_samp(behind) / sqrt(count(*)) as behind_unaided_se
    from behind_by_run
    group by candidate
),

tasks as (
    select
        mode,
        count(distinct task) as n
    from task_rank
    group by mode
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
        cast(sum(n_comparisons) as bigint) as n_comparisons,
        cast(sum(n_missing) as bigint) as n_missing,
        max(case when is_unaided then 1 else 0 end) = 1 as is_unaided
    from task_rank
    group by mode, candidate
),

final as (
    select
        summary.*,
        spread.se_rank,
        cast(tasks.n - summary.n_tasks as bigint) as n_tasks_missing,
        spread.n_runs,
        behind.behind_unaided,
        behind.behind_unaided_se,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_task_rank') }}) as rank,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_rank') }}) as rank_by_mean,
        rank() over (partition by summary.mode order by {{ nine_decimals('summary.mean_rank_scaled') }})
            as rank_scaled
    from summary
    inner join tasks on summary.mode = tasks.mode
    inner join spread on summary.mode = spread.mode and summary.candidate = spread.candidate
    left join behind on summary.mode = 'augmentation' and summary.candidate = behind.candidate
)

select * from final
