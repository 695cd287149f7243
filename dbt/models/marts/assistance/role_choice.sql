with task_rank as (
    select
        *,
        case when mode = 'automation' then 'doer' when is_unaided then 'unaided' else 'helper' end as part
    from {{ ref('int_tournament_rank') }}
),

ordered as (
    select
        *,
        row_number() over (partition by task, part order by {{ nine_decimals('mean_rank') }}, candidate) as place
    from task_rank
),

tasks as (
    select distinct task from task_rank
),

probability as (
    select * from {{ source('model', 'help_probability') }}
),

final as (
    select
        tasks.task,
        doer.candidate as best_doer,
        helper.candidate as best_helper,
        unaided.candidate as unaided_worker,
        probability.is_help_better_probability,
        same.mean_rank - helper.mean_rank as regret,
        helper.win_share - same.win_share as regret_win_share,
        helper.mean_rank as helper_mean_rank,
        unaided.mean_rank as unaided_mean_rank,
        coalesce(probability.n_runs, 0) as n_runs
    from tasks
    left join ordered as doer on tasks.task = doer.task and doer.part = 'doer' and doer.place = 1
    left join ordered as helper on tasks.task = helper.task and helper.part = 'helper' and helper.place = 1
    left join ordered as unaided on tasks.task = unaided.task and unaided.part = 'unaided' and unaided.place = 1
    left join task_rank as same
        on tasks.task = same.task and doer.candidate = same.candidate and same.part = 'helper'
    left join probability on tasks.task = probability.task
)

select * from final
