{{ config(materialized='view') }}

select
    run,
    tau,
    intercept,
    dimension,
    r,
    contraction,
    mae
from {{ source('estimate', 'recovery_dimension') }}
