with

scenario as (
    select scenario
    from {{ ref('stg_scenario') }}
    where state = 'accepted'
),

alias as (
    select * from {{ ref('seed_system_alias') }}
),

named as (
    select
        landed.source_file,
        landed.row_number,
        landed.scenario,
        landed.mode,
        landed.run,
        landed.ended_by,
        landed.environment,
        landed.n_steers,
        landed.reward,
        landed.calls,
        landed.input_tokens,
        landed.output_tokens,
        landed.cost,
        landed.seconds,
        landed.fault_column,
        landed.fault_value,
        landed.fault,
        coalesce(alias.system, landed.system) as system,
        scenario.scenario is not null as is_scenario
    from {{ source('raw', 'trajectory') }} as landed
    left join alias on landed.system = alias.alias
    left join scenario on landed.scenario = scenario.scenario
),

numbered as (
    select
        *,
        row_number() over (
            partition by scenario, system, mode, run, case when fault is null and is_scenario then 0 else 1 end
            order by source_file, row_number
        ) as occurrence
    from named
),

{% set faults = [
    ('fault is not null', {'column': 'fault_column', 'value': 'fault_value', 'reason': 'fault'}),
    ('not is_scenario', {
        'column': "'scenario'", 'value': 'scenario', 'reason': "'no usable line of agentic/scenarios has this scenario'"
    }),
    ('occurrence > 1', {
        'column': "'run'", 'value': 'run', 'reason': "'duplicate: the first line of the run counts'"
    }),
] %}
final as (
    select
        source_file,
        row_number,
        scenario,
        system,
        mode,
        run,
        ended_by,
        environment,
        n_steers,
        reward,
        calls,
        input_tokens,
        output_tokens,
        cost,
        seconds,
        case
            when fault is not null or not is_scenario or occurrence > 1 then 'rejected'
            else 'accepted'
        end as state,
        {{ first_fault(faults, 'column') }} as column_name,
        {{ first_fault(faults, 'value') }} as value,
        {{ first_fault(faults, 'reason') }} as reason
    from numbered
)

select * from final
