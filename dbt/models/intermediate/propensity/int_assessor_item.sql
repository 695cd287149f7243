with own as (
    select distinct
        benchmark,
        item,
        item_number
    from {{ ref('int_propensity_item') }}
),

annotated as (
    select distinct
        benchmark,
        item
    from {{ ref('int_propensity_level') }}
),

valid as (
    select
        benchmark,
        item
    from {{ ref('int_battery_item') }}
    where is_valid
),

-- an item that nobody annotated is of no use here; one annotated on some propensities stays, so that it is counted
foreign_item as (
    select distinct
        response.benchmark,
        response.item
    from {{ ref('int_response') }} as response
    inner join valid on response.benchmark = valid.benchmark and response.item = valid.item
    inner join annotated on response.benchmark = annotated.benchmark and response.item = annotated.item
),

highest as (
    select coalesce(max(item_number), 0) as item_number from own
),

final as (
    select
        'propensity' as collection,
        benchmark,
        item,
        item_number
    from own
    union all
    select
        'battery' as collection,
        foreign_item.benchmark,
        foreign_item.item,
        cast(
            highest.item_number + row_number() over (order by foreign_item.benchmark, foreign_item.item) as bigint
        ) as item_number
    from foreign_item
    cross join highest
)

select * from final
