{{ config(materialized='view') }}

select
    regime,
    feature_set,
    baseline,
    augmented,
    mean_delta,
    delta_low,
    delta_high,
    wilcoxon_p,
    n_systems,
    n_withheld,
    missing_share,
    n_propensities
from {{ source('estimate', 'assessor_gain') }}
