{{ config(materialized='view') }}

select
    scope_type,
    scope,
    activity,
    system,
    policy,
    mean_log,
    sd_log,
    q025_log,
    q975_log,
    is_best_probability
from {{ source('estimate', 'suitability') }}
