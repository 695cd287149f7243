{{ config(materialized='view') }}

select
    system,
    effective_dimensions,
    mean_abs_correlation,
    condition_number
from {{ source('estimate', 'system_geometry') }}
