{{ config(materialized='view') }}

select
    floor,
    n_tasks,
    n_tasks_matched,
    n_servers,
    n_servers_matched,
    n_pairs
from {{ source('estimate', 'server_match_floor') }}
