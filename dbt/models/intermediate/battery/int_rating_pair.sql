with rating as (
    select *
    from {{ ref('stg_rating') }}
    where level is not null
),

capability as (
    select * from {{ ref('seed_capability') }}
),

fully_rated as (
    select
        rater,
        benchmark,
        item
    from rating
    group by rater, benchmark, item
    having count(*) = (select count(*) from capability)
),

compared as (
    select
        rating.rater,
        rating.benchmark,
        rating.item,
        rating.capability,
        rating.level
    from rating
    inner join fully_rated
        on
            rating.rater = fully_rated.rater
            and rating.benchmark = fully_rated.benchmark
            and rating.item = fully_rated.item
),

final as (
    select
        a.rater as rater_a,
        b.rater as rater_b,
        a.capability,
        a.level as level_a,
        b.level as level_b,
        cast(count(*) as bigint) as n_items
    from compared as a
    inner join compared as b
        on
            a.benchmark = b.benchmark
            and a.item = b.item
            and a.capability = b.capability
            and a.rater < b.rater
    group by a.rater, b.rater, a.capability, a.level, b.level
)

select * from final
