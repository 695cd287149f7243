{{ config(materialized='view') }}

select
    unit_type,
    pearson_sd,
    n_resamples
from {{ source('estimate', 'importance_bootstrap') }}
