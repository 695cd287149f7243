{{ config(materialized='view') }}
with

final as (
    select
        request_key,
        request
    from {{ ref('stg_chat') }}
    where is_usable and is_english
)

select * from final
