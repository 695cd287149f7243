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

demand as (
    select
        item.item_number,
        demand.capability,
        -- an item of several propensities stands in several files
        avg(demand.level) as level
    from {{ ref('stg_propensity_demand') }} as demand
    inner join item on demand.propensity = item.propensity and demand.item = item.item
    where demand.reason is null
    group by item.item_number, demand.capability
),

final as (
    select
        cast(item_number as bigint) as item_number,
        'capability' as kind,
        capability as feature,
        level
    from demand
    union all
    select
        cast(item_number as bigint) as item_number,
        'propensity' as kind,
        propensity as feature,
        (lower_bound + upper_bound) / 2 as level
    from item
)

select * from final
