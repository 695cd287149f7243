with item as (
    select * from {{ ref('int_assessor_item') }}
),

final as (
    select
        item.collection,
        response.system,
        response.incitation,
        response.benchmark,
        response.item_number,
        response.propensity,
        response.source_file,
        response.is_correct
    from {{ ref('int_propensity_response') }} as response
    inner join item on item.collection = 'propensity' and response.item_number = item.item_number
    union all
    select
        item.collection,
        response.system,
        'none' as incitation,
        item.benchmark,
        item.item_number,
        '' as propensity,
        '' as source_file,
        -- a mean over attempts counts as solved where most of them are
        case when response.score > {{ to_double('0.5') }} then 1 else 0 end as is_correct
    from {{ ref('int_response') }} as response
    inner join item
        on item.collection = 'battery' and response.benchmark = item.benchmark and response.item = item.item
)

select * from final
