with

final as (
    select
        scenario.scenario,
        coalesce(scenario.pair, scenario.scenario) as pair,
        scenario.occupation,
        scenario.source_file,
        scenario.row_number,
        counted.n_calls,
        counted.n_tools_required,
        counted.n_tools_offered,
        counted.n_servers,
        counted.n_tasks,
        counted.n_withheld,
        counted.n_faults,
        counted.n_notes,
        counted.n_faults = 0 as is_usable
    from {{ ref('stg_scenario') }} as scenario
    inner join {{ ref('stg_scenario_key') }} as counted on scenario.scenario = counted.scenario
    where scenario.state = 'accepted'
)

select * from final
