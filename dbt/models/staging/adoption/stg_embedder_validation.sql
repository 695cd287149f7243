{{ config(materialized='view') }}

select
    embedder,
    weights_sha256,
    has_root,
    pearson_r,
    n_pairs
from {{ source('estimate', 'embedder_validation') }}
