{{ config(materialized='view') }}

select
    chat_key,
    relevance_status,
    is_relevant,
    summary_status,
    request_key,
    confirmation_status,
    nearest_cosine,
    task_set
from {{ source('estimate', 'chat_request') }}
