{{ config(materialized='view') }}

select
    system,
    dimension,
    chain,
    draw,
    value
from {{ source('estimate', 'capability_draw') }}
