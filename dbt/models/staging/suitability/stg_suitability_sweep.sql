{{ config(materialized='view') }}

select
    basis,
    scope_type,
    scope,
    weighting,
    power,
    sharpness,
    weight_uncertainty,
    activity,
    system,
    mean_s_log,
    mean_log,
    q025_log,
    q975_log,
    is_ranked
from {{ source('estimate', 'suitability_sweep') }}
