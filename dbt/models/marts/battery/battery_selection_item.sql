with final as (
    select
        benchmark,
        item,
        selection_sha256
    from {{ ref('stg_battery_selection') }}
)

select * from final
