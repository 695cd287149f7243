{{ config(materialized='view') }}

select
    has_examples,
    floor,
    n_commodities,
    n_covered,
    n_servers,
    n_used
from {{ source('estimate', 'commodity_floor') }}
