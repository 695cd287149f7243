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

{# runs that agree don't make a rank certain: no less than chance over so many comparisons #}
task_chance as (
    select
        mode,
        task,
        candidate,
        {{ exact_sum('variance') }} as variance
    from {{ ref('int_tournament_spread') }}
    group by mode, task, candidate
),

chance as (
    select
        mode,
        candidate,
        sqrt({{ exact_sum('variance') }}) / count(*) as se_rank
    from task_chance
    group by mode, candidate
),

spread as (
    select
        mode,
        candidate,
        stddev_samp(mean_rank) / sqrt(count(*)) as se_over_runs,
        cast(count(*) as bigint) as n_runs
    from by_run
    group by mode, candidate
),

unaided_chance as (
    select
        task_chance.task,
        task_chance.candidate,
        task_chance.variance
    from task_chance
    inner join task_rank
        on
            task_chance.task = task_rank.task
            and task_chance.mode = task_rank.mode
            and task_chance.candidate = task_rank.candidate
    where task_rank.is_unaided
),

unaided as (
    select
        task,
        run,
        coalesce(comparison_group, 1) as comparison_group,
        min(mean_rank) as mean_rank
    from run_rank
    where is_unaided
    group by task, run, coalesce(comparison_group, 1)
),

{# what is common to both in a run leaves with the difference #}
behind_by_run as (
    select
        run_rank.run,
        run_rank.candidate,
        {{ exact_avg('run_rank.mean_rank - unaided.mean_rank') }} as behind
    from run_rank
    inner join unaided
        on
            run_rank.task = unaided.task
            and run_rank.run = unaided.run
            and coalesce(run_rank.comparison_group, 1) = unaided.comparison_group
    where run_rank.mode = 'augmentation' and not run_rank.is_unaided
    group by run_rank.run, run_rank.candidate
),

{# comparisons of the two with each other move both ranks, and apart #}
behind_task_chance as (
    select
        helper.candidate,
        helper.task,
        {{ exact_sum('helper.variance') }}
        + max(unaided.variance)
        + 2 * {{ exact_sum('case when helper.opponent = unaided.candidate then helper.variance else 0 end') }}
            as variance
    from {{ ref('int_tournament_spread') }} as helper
    inner join unaided_chance as unaided on helper.task = unaided.task and helper.candidate <> unaided.candidate
    where helper.mode = 'augmentation'
    group by helper.candidate, helper.task
),

behind_chance as (
    select
        candidate,
        sqrt({{ exact_sum('variance') }}) / count(*) as se
    from behind_task_chance
    group by candidate
),

behind as (
    select
        behind_by_run.candidate,
        {{ exact_avg('behind_by_run.behind') }} as behind_unaided,
        case
            when count(*) > 1
                then greatest(
                    stddev_samp(behind_by_run.behind) / sqrt(count(*)), coalesce(max(behind_chance.se), 0)
                )
        end as behind_unaided_se
    from behind_by_run
    left join behind_chance on behind_by_run.candidate = behind_chance.candidate
    group by behind_by_run.candidate
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
        {{ exact_avg('weighted_win_share') }} as weighted_win_share,
        {{ exact_avg('rank') }} as mean_task_rank,
        {{ exact_avg('score_rank') }} as mean_score_rank,
        cast(count(*) as bigint) as n_tasks,
        cast(sum(n_comparisons) as bigint) as n_comparisons,
        cast(sum(n_missing) as bigint) as n_missing,
        cast(sum(n_one_seat) as bigint) as n_one_seat,
        max(case when is_unaided then 1 else 0 end) = 1 as is_unaided
    from task_rank
    group by mode, candidate
),

met as (
    select
        summary.*,
        coalesce(groups.comparison_group, 1) as comparison_group,
        coalesce(groups.n_groups, 1) as n_groups
    from summary
    left join {{ ref('int_tournament_group') }} as groups
        on groups.task = 'all' and summary.mode = groups.mode and summary.candidate = groups.candidate
),

final as (
    select
        summary.*,
        case when spread.n_runs > 1 then greatest(spread.se_over_runs, coalesce(chance.se_rank, 0)) end as se_rank,
        cast(tasks.n - summary.n_tasks as bigint) as n_tasks_missing,
        spread.n_runs,
        behind.behind_unaided,
        behind.behind_unaided_se,
        rank() over (
            partition by summary.mode, summary.comparison_group order by {{ nine_decimals('summary.mean_task_rank') }}
        ) as rank,
        rank() over (
            partition by summary.mode, summary.comparison_group order by {{ nine_decimals('summary.mean_rank') }}
        ) as rank_by_mean,
        rank() over (
            partition by summary.mode, summary.comparison_group
            order by {{ nine_decimals('summary.mean_rank_scaled') }}
        ) as rank_scaled
    from met as summary
    inner join tasks on summary.mode = tasks.mode
    inner join spread on summary.mode = spread.mode and summary.candidate = spread.candidate
    left join chance on summary.mode = chance.mode and summary.candidate = chance.candidate
    left join behind on summary.mode = 'augmentation' and summary.candidate = behind.candidate
)

select * from final
