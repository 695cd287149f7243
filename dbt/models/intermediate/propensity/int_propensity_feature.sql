with item as (
    select * from {{ ref('int_assessor_item') }}
),

own_item as (
    select * from {{ ref('int_propensity_item') }}
),

-- an item of several propensities is listed in several files
file_demand as (
    select
        own_item.item_number,
        demand.capability,
        avg(demand.level) as level
    from {{ ref('stg_propensity_demand') }} as demand
    inner join own_item on demand.propensity = own_item.propensity and demand.item = own_item.item
    where demand.reason is null
    group by own_item.item_number, demand.capability
),

-- as for ratings, an item counts only with every model's answer
model_demand as (
    select
        item.item_number,
        annotation.capability,
        avg(annotation.level) as level
    from {{ ref('stg_propensity_annotation') }} as annotation
    inner join item
        on
            item.collection = 'propensity'
            and annotation.benchmark = item.benchmark
            and annotation.item = item.item
    group by item.item_number, annotation.capability
    having count(annotation.level) = count(*)
),

battery_demand as (
    select
        item.item_number,
        rating.capability,
        avg(rating.level) as level
    from {{ ref('stg_rating') }} as rating
    inner join item
        on item.collection = 'battery' and rating.benchmark = item.benchmark and rating.item = item.item
    where rating.level is not null
    group by item.item_number, rating.capability
),

demand as (
    select
        coalesce(file_demand.item_number, model_demand.item_number) as item_number,
        coalesce(file_demand.capability, model_demand.capability) as capability,
        coalesce(file_demand.level, model_demand.level) as level
    from file_demand
    full outer join model_demand
        on
            file_demand.item_number = model_demand.item_number
            and file_demand.capability = model_demand.capability
    union all
    select
        item_number,
        capability,
        level
    from battery_demand
),

annotated as (
    select
        item.item_number,
        level.propensity,
        level.level
    from {{ ref('int_propensity_level') }} as level
    inner join item on level.benchmark = item.benchmark and level.item = item.item
),

own as (
    select
        item_number,
        propensity,
        (lower_bound + upper_bound) / 2 as level
    from own_item
),

-- levels that raters gave come first, so that an item's own level comes from where its others do
propensity_level as (
    select
        coalesce(annotated.item_number, own.item_number) as item_number,
        coalesce(annotated.propensity, own.propensity) as propensity,
        coalesce(annotated.level, own.level) as level
    from annotated
    full outer join own
        on annotated.item_number = own.item_number and annotated.propensity = own.propensity
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
        level
    from propensity_level
)

select * from final
