{{ config(materialized='view') }}

select
    scope_type,
    scope,
    mode,
    krippendorff_alpha
from {{ source('estimate', 'judge_alpha') }}
