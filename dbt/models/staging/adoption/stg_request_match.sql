{{ config(materialized='view') }}

select
    request_key,
    task_text_id_1,
    task_text_id_2,
    task_text_id_3,
    cosine_1,
    cosine_2,
    cosine_3,
    embedder,
    weights_sha256,
    part
from {{ source('estimate', 'request_match') }}
