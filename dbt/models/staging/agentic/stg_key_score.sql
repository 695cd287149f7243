{{ config(materialized='view') }}

select
    scenario,
    system,
    mode,
    run,
    tool,
    n_expected,
    n_called,
    how,
    score
from {{ source('estimate', 'key_score') }}
