{{ config(materialized='view') }}

select
    dimension,
    level,
    coverage_share,
    expected_low,
    expected_high,
    n_fits,
    uniformity_p
from {{ source('estimate', 'calibration') }}
