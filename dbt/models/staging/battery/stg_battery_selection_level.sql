{{ config(materialized='view') }}

select
    capability,
    level,
    target_share,
    expected_share,
    achieved_share,
    proportional_share
from {{ source('estimate', 'battery_selection_level') }}
