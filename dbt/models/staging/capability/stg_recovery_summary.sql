{{ config(materialized='view') }}

select
    run,
    tau,
    intercept,
    n_agents,
    n_items,
    shape_r,
    level_r,
    level_slope,
    effective_dimensions,
    mean_abs_correlation,
    worst_contraction,
    suitability_rho,
    suitability_pairwise_accuracy,
    khat_max,
    ess_min
from {{ source('estimate', 'recovery_summary') }}
