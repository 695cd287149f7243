{{ config(materialized='view') }}

select
    propensity,
    system,
    incitation,
    estimate,
    se,
    q025,
    q975,
    slope,
    n_items,
    n_uninformative,
    n_trials,
    n_passed,
    is_saturated,
    is_ambiguous,
    is_slope_at_bound
from {{ source('estimate', 'propensity_position') }}
