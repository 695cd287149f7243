{{ config(materialized='view') }}

select
    regime,
    feature_set,
    baseline,
    augmented,
    mean_delta,
    wilcoxon_p,
    n_systems,
    n_withheld,
    missing_share
from {{ source('estimate', 'assessor_gain') }}
