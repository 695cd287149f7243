{{ config(materialized='view') }}

select
    benchmark,
    item
from {{ source('estimate', 'battery_sample') }}
