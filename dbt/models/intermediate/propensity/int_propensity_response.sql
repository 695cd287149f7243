with item as (
    select
        propensity,
        benchmark,
        item,
        lower_bound,
        upper_bound,
        dense_rank() over (order by benchmark, item) as item_number
    from {{ ref('stg_propensity_item') }}
    where reason is null
),

final as (
    select
        response.propensity,
        response.system,
        response.incitation,
        item.benchmark,
        item.item,
        cast(item.item_number as bigint) as item_number,
        item.lower_bound,
        item.upper_bound,
        response.source_file,
        cast(response.is_correct as bigint) as is_correct
    from {{ ref('stg_propensity_response') }} as response
    inner join item on response.propensity = item.propensity and response.item = item.item
    where response.status = 'scored'
)

select * from final
