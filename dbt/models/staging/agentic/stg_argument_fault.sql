{{ config(materialized='view') }}

select
    scenario,
    system,
    mode,
    run,
    tool,
    category
from {{ source('estimate', 'argument_fault') }}
