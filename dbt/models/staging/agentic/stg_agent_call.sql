{{ config(materialized='view') }}

select
    scenario,
    system,
    mode,
    run,
    tool,
    is_expected,
    n_calls,
    n_failed
from {{ source('estimate', 'agent_call') }}
