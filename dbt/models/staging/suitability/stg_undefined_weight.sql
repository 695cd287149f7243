{{ config(materialized='view') }}

select
    scope_type,
    scope,
    activity,
    policy,
    reason
from {{ source('estimate', 'undefined_weight') }}
