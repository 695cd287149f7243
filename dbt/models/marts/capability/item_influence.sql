with influence as (
    select * from {{ ref('stg_item_influence') }}
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
