{{ config(materialized='view') }}

select
    system,
    benchmark,
    item,
    fold,
    score,
    predicted,
    khat
from {{ source('estimate', 'item_prediction') }}
