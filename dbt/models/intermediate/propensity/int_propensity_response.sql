with item as (
    select * from {{ ref('int_propensity_item') }}
),

final as (
    select
        response.propensity,
        response.system,
        response.incitation,
        item.benchmark,
        item.item,
        item.item_number,
        item.lower_bound,
        item.upper_bound,
        response.source_file,
        cast(response.is_correct as bigint) as is_correct
    from {{ ref('stg_propensity_response') }} as response
    inner join item on response.propensity = item.propensity and response.item = item.item
    where response.status = 'scored'
)

select * from final
