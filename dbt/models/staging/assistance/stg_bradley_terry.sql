{{ config(materialized='view') }}

select
    task,
    mode,
    candidate,
    log_strength,
    low,
    high,
    n_comparisons,
    comparison_group,
    reason
from {{ source('estimate', 'bradley_terry') }}
