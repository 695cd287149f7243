{{ config(materialized='view') }}

select
    system,
    dimension,
    level,
    n_items,
    observed,
    predicted,
    q025,
    q975
from {{ source('estimate', 'characteristic_curve') }}
