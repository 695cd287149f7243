{{ config(materialized='view') }}

select
    system,
    rank,
    benchmark,
    item,
    score,
    dimension,
    shift_sd
from {{ source('estimate', 'item_influence') }}
