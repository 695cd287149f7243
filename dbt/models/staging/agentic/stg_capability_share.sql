{{ config(materialized='view') }}

select
    occupation,
    system,
    quantity,
    share,
    low,
    high,
    n_scenarios,
    n_tasks,
    n_servers
from {{ source('estimate', 'capability_share') }}
