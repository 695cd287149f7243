{{ config(materialized='view') }}

select
    benchmark,
    item,
    selection_sha256
from {{ source('estimate', 'battery_selection') }}
