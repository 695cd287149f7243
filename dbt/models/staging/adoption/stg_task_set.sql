{{ config(materialized='view') }}

select
    task_set,
    task_text_id
from {{ source('estimate', 'task_set') }}
