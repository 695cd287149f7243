with sample as (
    select * from {{ ref('stg_battery_sample') }}
),

available as (
    select * from {{ ref('int_available_item') }}
),

final as (
    select
        sample.benchmark,
        sample.item,
        available.has_text,
        available.is_rated,
        available.is_settled
    from sample
    inner join available on sample.benchmark = available.benchmark and sample.item = available.item
)

select * from final
