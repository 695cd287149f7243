{{ config(materialized='view') }}

select
    dimension_key,
    capability
from {{ source('estimate', 'dimension_member') }}
