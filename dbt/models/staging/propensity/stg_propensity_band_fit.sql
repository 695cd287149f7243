{{ config(materialized='view') }}

select
    propensity,
    system,
    incitation,
    lower_bound,
    upper_bound,
    n_trials,
    n_passed,
    fitted
from {{ source('estimate', 'propensity_band_fit') }}
