with

final as (
    select
        commodity_code,
        commodity_title,
        has_examples,
        server,
        cosine
    from {{ ref('stg_commodity_match') }}
)

select * from final
