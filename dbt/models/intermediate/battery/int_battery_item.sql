with rating as (
    select * from {{ ref('stg_rating') }}
),

rater as (
    select cast(count(distinct rater) as bigint) as n_raters from rating
),

retention as (
    select * from {{ ref('int_capability_retention') }}
),

retained as (
    select cast(count(*) as bigint) as n_capabilities
    from retention
    where is_retained
),

valid_cell as (
    select
        rating.benchmark,
        rating.item,
        sum(case when rating.level is not null and retention.is_retained then 1 else 0 end) as n_valid
    from rating
    inner join retention on rating.capability = retention.capability
    group by rating.benchmark, rating.item
),

excluded as (
    select
        benchmark,
        item
    from {{ ref('stg_item') }}
    where is_excluded
),

final as (
    select
        valid_cell.benchmark,
        valid_cell.item,
        valid_cell.n_valid = rater.n_raters * retained.n_capabilities as is_rated_by_all,
        excluded.item is not null as is_excluded,
        valid_cell.n_valid = rater.n_raters * retained.n_capabilities and excluded.item is null as is_valid
    from valid_cell
    left join excluded on valid_cell.benchmark = excluded.benchmark and valid_cell.item = excluded.item
    cross join rater
    cross join retained
)

select * from final
