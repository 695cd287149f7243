with

final as (
    select distinct
        occupation,
        example,
        commodity_code,
        commodity_title,
        coalesce(upper(hot_technology) = 'Y', false) as is_hot_technology,
        coalesce(upper(in_demand) = 'Y', false) as is_in_demand
    from {{ source('raw', 'onet_technology_skill') }}
)

select * from final
