{{ config(materialized='view') }}

select
    benchmark,
    item,
    capability,
    demand,
    demand_sd
from {{ source('estimate', 'rater_demand') }}
