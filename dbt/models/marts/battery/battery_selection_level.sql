with final as (
    select
        capability,
        level,
        target_share,
        expected_share,
        achieved_share,
        proportional_share
    from {{ ref('stg_battery_selection_level') }}
)

select * from final
