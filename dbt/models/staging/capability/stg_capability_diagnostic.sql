{{ config(materialized='view') }}

select
    system,
    dimension,
    rhat,
    ess_bulk,
    ess_tail
from {{ source('estimate', 'capability_diagnostic') }}
