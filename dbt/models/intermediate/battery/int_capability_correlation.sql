with rating as (
    select * from {{ ref('stg_rating') }}
),

battery as (
    select
        benchmark,
        item,
        row_number() over (order by benchmark, item) as item_number
    from {{ ref('int_battery_item') }}
    where is_valid
),

retained as (
    select *
    from {{ ref('int_capability_retention') }}
    where is_retained
),

rated as (
    select
        battery.item_number,
        rating.rater,
        rating.capability,
        {{ to_double('rating.level') }} as level
    from rating
    inner join retained on rating.capability = retained.capability
    inner join battery on rating.benchmark = battery.benchmark and rating.item = battery.item
),

scale as (
    select
        rater,
        capability,
        avg(level) as mean_level,
        case when min(level) < max(level) then stddev_samp(level) end as sd_level
    from rated
    group by rater, capability
),

{# a rater who gives one level only says nothing: z = 0 #}
mean_z as (
    select
        rated.item_number,
        rated.capability,
        avg(coalesce((rated.level - scale.mean_level) / scale.sd_level, 0)) as z
    from rated
    inner join scale on rated.rater = scale.rater and rated.capability = scale.capability
    group by rated.item_number, rated.capability
),

{# the z have mean 0, so r is the sum of products of vectors of length 1 #}
norm as (
    select
        capability,
        case when max(abs(z)) > 0 then sqrt(sum(z * z)) end as norm
    from mean_z
    group by capability
),

unit_vector as (
    select
        mean_z.item_number,
        mean_z.capability,
        mean_z.z / norm.norm as u
    from mean_z
    inner join norm on mean_z.capability = norm.capability
),

final as (
    select
        a.capability as capability_a,
        b.capability as capability_b,
        sum(a.u * b.u) as r
    from unit_vector as a
    inner join unit_vector as b on a.item_number = b.item_number and a.capability <= b.capability
    group by a.capability, b.capability
)

select * from final
