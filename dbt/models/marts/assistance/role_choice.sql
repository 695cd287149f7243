with task_rank as (
    select
        *,
        {# groups that never met have no common best #}
        coalesce(n_groups, 1) = 1 as is_comparable,
        case when mode = 'automation' then 'doer' when is_unaided then 'unaided' else 'helper' end as part
    from {{ ref('int_tournament_rank') }}
),

placed as (
    select
        *,
        rank() over (partition by task, part order by {{ nine_decimals('mean_rank') }}) as place
    from task_rank
    where is_comparable
),

first_placed as (
    select
        *,
        count(*) over (partition by task, part) as n_best
    from placed
    where place = 1
),

{# of equal doers the one that helps best: the least that taking it for the helper can cost #}
doer_order as (
    select
        first_placed.task,
        first_placed.candidate,
        first_placed.n_best,
        row_number() over (
            partition by first_placed.task
            order by
                case when helper.mean_rank is null then 1 else 0 end,
                {{ nine_decimals('helper.mean_rank') }},
                first_placed.candidate
        ) as place
    from first_placed
    left join placed as helper
        on
            first_placed.task = helper.task
            and first_placed.candidate = helper.candidate
            and helper.part = 'helper'
    where first_placed.part = 'doer'
),

doer as (
    select * from doer_order
    where place = 1
),

helper_order as (
    select
        first_placed.*,
        row_number() over (
            partition by first_placed.task
            order by case when first_placed.candidate = doer.candidate then 0 else 1 end, first_placed.candidate
        ) as choice
    from first_placed
    left join doer on first_placed.task = doer.task
    where first_placed.part = 'helper'
),

helper as (
    select * from helper_order
    where choice = 1
),

unaided_order as (
    select
        *,
        row_number() over (partition by task order by candidate) as choice
    from first_placed
    where part = 'unaided'
),

unaided as (
    select * from unaided_order
    where choice = 1
),

tasks as (
    select distinct task from task_rank
),

probability as (
    select * from {{ ref('stg_help_probability') }}
),

regret as (
    select * from {{ ref('stg_helper_regret') }}
),

final as (
    select
        tasks.task,
        doer.candidate as best_doer,
        helper.candidate as best_helper,
        unaided.candidate as unaided_worker,
        probability.is_help_better_probability,
        regret.regret,
        regret.regret_q025,
        regret.regret_q975,
        regret.regret_win_share,
        helper.mean_rank as helper_mean_rank,
        unaided.mean_rank as unaided_mean_rank,
        cast(coalesce(doer.n_best, 0) as bigint) as n_best_doers,
        cast(coalesce(helper.n_best, 0) as bigint) as n_best_helpers,
        coalesce(probability.n_runs, 0) as n_runs
    from tasks
    left join doer on tasks.task = doer.task
    left join helper on tasks.task = helper.task
    left join unaided on tasks.task = unaided.task
    left join probability on tasks.task = probability.task
    left join regret on tasks.task = regret.task and doer.candidate = regret.candidate
)

select * from final
