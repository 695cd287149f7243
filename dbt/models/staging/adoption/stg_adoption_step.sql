{{ config(materialized='view') }}

select
    step,
    status,
    method,
    note
from {{ source('estimate', 'adoption_step') }}
