{{ config(materialized='view') }}

select
    scope_type,
    scope,
    activity,
    mean_log
from {{ source('estimate', 'published_suitability') }}
