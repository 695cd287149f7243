{{ config(materialized='view') }}

select
    task,
    trait,
    spearman_rho,
    p_value
from {{ source('estimate', 'trait_association') }}
