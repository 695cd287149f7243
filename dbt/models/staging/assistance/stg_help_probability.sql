{{ config(materialized='view') }}

select
    task,
    is_help_better_probability,
    n_runs
from {{ source('estimate', 'help_probability') }}
