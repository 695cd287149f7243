with

final as (
    select
        scenario,
        check_name,
        place,
        value,
        reason,
        is_blocking
    from {{ ref('stg_scenario_fault') }}
)

select * from final
