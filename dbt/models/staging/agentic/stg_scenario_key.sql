{{ config(materialized='view') }}

select
    scenario,
    n_calls,
    n_tools_required,
    n_tools_offered,
    n_servers,
    n_tasks,
    n_withheld,
    n_faults,
    n_notes
from {{ source('estimate', 'scenario_key') }}
