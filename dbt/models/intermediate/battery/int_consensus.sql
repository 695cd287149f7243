with rating as (
    select * from {{ ref('stg_rating') }}
),

battery as (
    select *
    from {{ ref('int_battery_item') }}
    where is_valid
),

retained as (
    select *
    from {{ ref('int_capability_retention') }}
    where is_retained
),

final as (
    select
        rating.benchmark,
        rating.item,
        rating.capability,
        {{ to_double('sum(rating.level)') }} / count(*) as consensus,
        cast(sum(rating.level) as bigint) as level_sum,
        cast(count(*) as bigint) as n_raters,
        cast(max(rating.level) - min(rating.level) as bigint) as rater_range,
        sqrt(
            {{ to_double('count(*) * sum(rating.level * rating.level) - sum(rating.level) * sum(rating.level)') }}
            / nullif(count(*) * (count(*) - 1), 0)
        ) as rater_sd
    from rating
    inner join retained on rating.capability = retained.capability
    inner join battery on rating.benchmark = battery.benchmark and rating.item = battery.item
    group by rating.benchmark, rating.item, rating.capability
)

select * from final
