{{ config(materialized='view') }}

select
    model,
    n_items,
    n_responses,
    n_benchmarks,
    n_folds,
    log_score,
    difference,
    difference_se
from {{ source('estimate', 'model_comparison') }}
