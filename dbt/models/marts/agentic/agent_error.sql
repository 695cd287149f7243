with

cell as (
    select distinct
        system,
        mode
    from {{ ref('int_agent_run') }}
),

category as (
    select * from {{ ref('seed_error_category') }}
),

tool as (
    select
        scenario,
        system,
        mode,
        run,
        tool,
        how,
        score
    from {{ ref('int_tool_score') }}
),

fault as (
    select * from {{ ref('stg_argument_fault') }}
),

judged_wrong as (
    select
        tool.system,
        tool.mode,
        tool.scenario,
        tool.run,
        tool.tool
    from tool
    where tool.how = 'judge' and tool.score = 0
),

classed as (
    select
        judged_wrong.system,
        judged_wrong.mode,
        fault.category,
        count(*) as n
    from judged_wrong
    inner join fault
        on
            {{ same_run('judged_wrong', 'fault') }}
            and judged_wrong.tool = fault.tool
    group by judged_wrong.system, judged_wrong.mode, fault.category
),

never_called as (
    select
        system,
        mode,
        sum(case when how = 'never called' then 1 else 0 end) as n,
        count(*) as n_of
    from tool
    where how not in ('catastrophic', 'budget')
    group by system, mode
),

extraneous as (
    select
        call.system,
        call.mode,
        sum(case when not call.is_expected then call.n_calls else 0 end) as n,
        sum(call.n_calls) as n_of
    from {{ ref('stg_agent_call') }} as call
    inner join {{ ref('int_agent_run') }} as run
        on {{ same_run('call', 'run') }}
    group by call.system, call.mode
),

wrong_total as (
    select
        system,
        mode,
        count(*) as n_of
    from judged_wrong
    group by system, mode
),

low as (
    select
        system,
        mode,
        case when measure = 'autonomy' then 'workflow' else measure end as measure,
        category
    from {{ ref('int_agent_run_score') }}
    where score < 3 and measure in ('workflow', 'autonomy', 'grounding')
),

low_total as (
    select
        system,
        mode,
        measure,
        count(*) as n_of,
        sum(case when category is null then 1 else 0 end) as n_unclassed
    from low
    group by system, mode, measure
),

low_classed as (
    select
        system,
        mode,
        category,
        count(*) as n
    from low
    group by system, mode, category
),

counted as (
    select
        cell.system,
        cell.mode,
        case
            when category.measure = 'workflow' and cell.mode = 'multi' then 'autonomy'
            else category.measure
        end as measure,
        category.category,
        category.name,
        category.category_order,
        category.of_what,
        case
            when category.category = 'missed_tool' then coalesce(never_called.n, 0) + coalesce(classed.n, 0)
            when category.category = 'extraneous_tool' then coalesce(extraneous.n, 0)
            when category.measure = 'tool_accuracy' then coalesce(classed.n, 0)
            else coalesce(low_classed.n, 0)
        end as n,
        case
            when category.category = 'missed_tool' then coalesce(never_called.n_of, 0)
            when category.category = 'extraneous_tool' then coalesce(extraneous.n_of, 0)
            when category.measure = 'tool_accuracy' then coalesce(wrong_total.n_of, 0)
            else coalesce(low_total.n_of, 0)
        end as n_of,
        coalesce(low_total.n_unclassed, 0) as n_unclassed
    from cell
    cross join category
    left join never_called on cell.system = never_called.system and cell.mode = never_called.mode
    left join extraneous on cell.system = extraneous.system and cell.mode = extraneous.mode
    left join wrong_total on cell.system = wrong_total.system and cell.mode = wrong_total.mode
    left join classed
        on cell.system = classed.system and cell.mode = classed.mode and category.category = classed.category
    left join low_total
        on cell.system = low_total.system and cell.mode = low_total.mode and category.measure = low_total.measure
    left join low_classed
        on
            cell.system = low_classed.system
            and cell.mode = low_classed.mode
            and category.category = low_classed.category
),

final as (
    select
        system,
        mode,
        measure,
        category,
        name,
        cast(category_order as bigint) as category_order,
        cast(n as bigint) as n,
        cast(n_of as bigint) as n_of,
        of_what,
        {{ to_double('n') }} / nullif(n_of, 0) as share,
        cast(n_unclassed as bigint) as n_unclassed
    from counted
)

select * from final
