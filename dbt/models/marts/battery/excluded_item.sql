with excluded as (
    select
        benchmark,
        item,
        reason
    from {{ ref('stg_item') }}
    where is_excluded
),

battery_item as (
    select * from {{ ref('int_battery_item') }}
),

answered as (
    select
        benchmark,
        item,
        count(distinct system) as n_systems
    from {{ ref('int_result_item') }}
    group by benchmark, item
),

final as (
    select
        excluded.benchmark,
        excluded.item,
        excluded.reason,
        coalesce(battery_item.is_rated_by_all, false) as is_rated_by_all,
        cast(coalesce(answered.n_systems, 0) as bigint) as n_systems
    from excluded
    left join battery_item on excluded.benchmark = battery_item.benchmark and excluded.item = battery_item.item
    left join answered on excluded.benchmark = answered.benchmark and excluded.item = answered.item
)

select * from final
