{{ config(materialized='view') }}

select
    task,
    run,
    candidate,
    contained_share
from {{ source('estimate', 'assistance_leak') }}
