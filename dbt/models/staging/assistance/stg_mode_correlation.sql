{{ config(materialized='view') }}

select
    task,
    spearman_rho,
    p_value,
    n_candidates
from {{ source('estimate', 'mode_correlation') }}
