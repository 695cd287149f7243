with final as (
    select
        propensity,
        benchmark,
        item,
        cast(dense_rank() over (order by benchmark, item) as bigint) as item_number,
        lower_bound,
        upper_bound
    from {{ ref('stg_propensity_item') }}
    where reason is null
)

select * from final
