{{ config(materialized='view') }}

select
    dimension,
    bin,
    n_fits,
    expected_low,
    expected_high
from {{ source('estimate', 'calibration_rank') }}
