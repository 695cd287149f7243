{{ config(materialized='view') }}

select
    unit_type,
    unit,
    recruitment,
    reliability,
    n_splits
from {{ source('estimate', 'importance_reliability') }}
