{{ config(materialized='view') }}

select
    server,
    tool,
    n_arguments,
    n_required
from {{ source('estimate', 'server_tool') }}
