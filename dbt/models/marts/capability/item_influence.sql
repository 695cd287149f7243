with influence as (
    select * from {{ source('estimate', 'item_influence') }}
),

final as (
    select
        system,
        rank,
        benchmark,
        item,
        score,
        dimension,
        shift_sd
    from influence
)

select * from final
