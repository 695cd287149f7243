{{ config(materialized='view') }}

select
    commodity_code,
    has_examples,
    server,
    cosine,
    commodity_title
from {{ source('estimate', 'commodity_match') }}
