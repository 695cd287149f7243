with chosen as (
    select * from {{ ref('stg_battery_selection') }}
),

available as (
    select * from {{ ref('int_available_item') }}
),

final as (
    select
        chosen.benchmark,
        chosen.item,
        available.has_text,
        available.is_rated,
        chosen.selection_sha256
    from chosen
    inner join available on chosen.benchmark = available.benchmark and chosen.item = available.item
)

select * from final
