{{ config(materialized='view') }}

select
    level,
    text,
    unit,
    method,
    score,
    nearest_text
from {{ source('estimate', 'index_bridge') }}
