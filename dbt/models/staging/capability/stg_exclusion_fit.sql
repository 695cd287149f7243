{{ config(materialized='view') }}

select
    system,
    dimension,
    mean_log,
    sd_log,
    is_converged
from {{ source('estimate', 'exclusion_fit') }}
