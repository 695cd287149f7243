with final as (
    select
        rater,
        benchmark,
        item,
        capability,
        status,
        level,
        call_id
    from {{ source('raw', 'propensity_annotation') }}
)

select * from final
