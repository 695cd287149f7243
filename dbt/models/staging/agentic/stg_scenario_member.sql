{{ config(materialized='view') }}

select
    scenario,
    kind,
    member
from {{ source('estimate', 'scenario_member') }}
