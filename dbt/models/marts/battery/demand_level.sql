with final as (
    select
        dimension,
        level,
        n_items,
        share_of_active,
        coverage_share
    from {{ ref('int_demand_level') }}
)

select * from final
