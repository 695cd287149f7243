{{ config(materialized='view') }}

select
    judge,
    bias,
    q025,
    q975,
    interval
from {{ source('estimate', 'judge_bias') }}
