{{ config(materialized='view') }}

with

final as (
    select
        chat_key,
        min(text) as text
    from {{ ref('stg_chat') }}
    where is_usable and is_english
    group by chat_key
)

select * from final
