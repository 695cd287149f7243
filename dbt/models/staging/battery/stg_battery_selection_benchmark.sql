{{ config(materialized='view') }}

select
    benchmark,
    n_available,
    n_sampled,
    n_open,
    max_items,
    n_selected,
    n_proportional,
    selection_sha256,
    relaxed
from {{ source('estimate', 'battery_selection_benchmark') }}
