with final as (
    select
        benchmark,
        item,
        text,
        is_excluded,
        reason,
        text_key
    from {{ source('raw', 'item') }}
)

select * from final
