with final as (
    select
        benchmark,
        item,
        selection_sha256
    from {{ source('estimate', 'battery_selection') }}
)

select * from final
