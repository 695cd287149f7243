with raw_demand as (
    select
        source_file,
        row_number,
        capability,
        {{ blank_to_null('level') }} as level_text,
        {{ try_double('level') }} as number
    from {{ source('raw', 'propensity_demand') }}
),

item as (
    select *
    from {{ ref('stg_propensity_item') }}
    where reason is null
),

final as (
    select
        raw_demand.source_file,
        raw_demand.row_number,
        item.propensity,
        item.benchmark,
        item.item,
        raw_demand.capability,
        raw_demand.level_text,
        case when raw_demand.number in (0, 1, 2, 3, 4, 5) then raw_demand.number end as level,
        case
            when raw_demand.level_text is null then 'blank level'
            when raw_demand.number is null or raw_demand.number not in (0, 1, 2, 3, 4, 5)
                then 'level is no whole number from 0 to 5'
        end as reason
    from raw_demand
    inner join item
        on raw_demand.source_file = item.source_file and raw_demand.row_number = item.row_number
)

select * from final
