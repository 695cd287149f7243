with result as (
    select *
    from {{ ref('stg_result') }}
    where status <> 'rejected'
),

battery_item as (
    select * from {{ ref('int_battery_item') }}
),

battery as (
    select count(*) > 0 as is_rated from battery_item
),

final as (
    select
        result.system,
        result.benchmark,
        result.item,
        result.status,
        result.score,
        battery_item.item is not null as is_in_battery,
        coalesce(battery_item.is_valid, false) as is_valid,
        coalesce(battery_item.is_rated_by_all and battery_item.is_excluded, false) as is_left_out,
        battery.is_rated as is_battery_rated,
        result.source_file,
        result.row_number
    from result
    cross join battery
    left join battery_item on result.benchmark = battery_item.benchmark and result.item = battery_item.item
)

select * from final
