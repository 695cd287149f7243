{{ config(materialized='view') }}

select
    task_text_id,
    server,
    cosine
from {{ source('estimate', 'server_match') }}
