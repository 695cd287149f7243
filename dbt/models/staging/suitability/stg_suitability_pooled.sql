{{ config(materialized='view') }}

select
    scope_type,
    scope,
    activity,
    policy,
    mean_log,
    sd_log,
    q025_log,
    q975_log,
    upper_half_probability
from {{ source('estimate', 'suitability_pooled') }}
