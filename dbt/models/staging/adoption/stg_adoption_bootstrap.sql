{{ config(materialized='view') }}

select
    quantity,
    unit,
    country,
    min_chats,
    step,
    low,
    high
from {{ source('estimate', 'adoption_bootstrap') }}
