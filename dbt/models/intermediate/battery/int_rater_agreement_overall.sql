{# Coincidences by Krippendorff: within an item each ordered pair of ratings counts 1 / (ratings of the item - 1). #}
with rating as (
    select
        benchmark,
        item,
        capability,
        level,
        rater,
        count(*) over (partition by benchmark, item, capability) as n_ratings
    from {{ ref('stg_rating') }}
    where level is not null
),

pairable as (
    select * from rating
    where n_ratings > 1
),

size as (
    select
        capability,
        cast(count(distinct rater) as bigint) as n_raters,
        {{ to_double('count(*)') }} as n_ratings
    from pairable
    group by capability
),

item_count as (
    select
        capability,
        cast(count(*) as bigint) as n_items
    from (
        select distinct
            capability,
            benchmark,
            item
        from pairable
    ) as rated_item
    group by capability
),

margin as (
    select
        capability,
        level,
        {{ to_double('count(*)') }} as n,
        {{ to_double('sum(count(*)) over (partition by capability order by level)') }} as n_up_to
    from pairable
    group by capability, level
),

item_level as (
    select
        capability,
        benchmark,
        item,
        level,
        n_ratings,
        cast(count(*) as bigint) as n
    from pairable
    group by capability, benchmark, item, level, n_ratings
),

coincidence_by_size as (
    select
        a.capability,
        a.level as level_a,
        b.level as level_b,
        a.n_ratings,
        {{ to_double('sum(a.n * b.n)') }} / (a.n_ratings - 1) as n
    from item_level as a
    inner join item_level as b
        on a.capability = b.capability and a.benchmark = b.benchmark and a.item = b.item and a.level < b.level
    group by a.capability, a.level, b.level, a.n_ratings
),

coincidence as (
    select
        capability,
        level_a,
        level_b,
        sum(n) as n
    from coincidence_by_size
    group by capability, level_a, level_b
),

{# ordinal distance: the ratings that lie between two levels, half of their own included #}
level_pair as (
    select
        a.capability,
        a.level as level_a,
        b.level as level_b,
        a.n * b.n as n_by_chance,
        (b.n_up_to - a.n_up_to + (a.n - b.n) / 2) * (b.n_up_to - a.n_up_to + (a.n - b.n) / 2) as distance
    from margin as a
    inner join margin as b on a.capability = b.capability and a.level < b.level
),

disagreement as (
    select
        level_pair.capability,
        sum(coalesce(coincidence.n, 0) * level_pair.distance) as observed,
        sum(level_pair.n_by_chance * level_pair.distance) as by_chance
    from level_pair
    left join coincidence
        on
            level_pair.capability = coincidence.capability
            and level_pair.level_a = coincidence.level_a
            and level_pair.level_b = coincidence.level_b
    group by level_pair.capability
),

final as (
    select
        size.capability,
        size.n_raters,
        item_count.n_items,
        1 - (size.n_ratings - 1) * disagreement.observed / nullif(disagreement.by_chance, 0) as krippendorff_alpha
    from size
    inner join item_count on size.capability = item_count.capability
    left join disagreement on size.capability = disagreement.capability
)

select * from final
