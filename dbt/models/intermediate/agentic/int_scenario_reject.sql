with

final as (
    select distinct
        'scenario' as table_name,
        scenario.source_file,
        scenario.row_number,
        fault.place as column_name,
        fault.value,
        fault.reason
    from {{ ref('stg_scenario_fault') }} as fault
    inner join {{ ref('int_scenario') }} as scenario on fault.scenario = scenario.scenario
    where fault.is_blocking
)

select * from final
