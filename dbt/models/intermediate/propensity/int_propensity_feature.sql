with item as (
    select * from {{ ref('int_propensity_item') }}
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
        item_number,
        'capability' as kind,
        capability as feature,
        level
    from demand
    union all
    select
        item_number,
        'propensity' as kind,
        propensity as feature,
        (lower_bound + upper_bound) / 2 as level
    from item
)

select * from final
