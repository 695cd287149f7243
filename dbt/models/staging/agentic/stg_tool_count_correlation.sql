{{ config(materialized='view') }}

select
    system,
    mode,
    measure,
    tool_count,
    spearman_rho,
    p_value,
    n_scenarios
from {{ source('estimate', 'tool_count_correlation') }}
