{{ config(materialized='view') }}

select
    task,
    candidate,
    regret,
    regret_q025,
    regret_q975,
    regret_win_share
from {{ source('estimate', 'helper_regret') }}
