{{ config(materialized='view') }}

select
    regime,
    system,
    feature_set,
    baseline,
    augmented,
    delta,
    n_incitations
from {{ source('estimate', 'assessor_system') }}
