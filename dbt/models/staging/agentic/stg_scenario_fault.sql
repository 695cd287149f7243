{{ config(materialized='view') }}

select
    scenario,
    check_name,
    place,
    value,
    reason,
    is_blocking
from {{ source('estimate', 'scenario_fault') }}
