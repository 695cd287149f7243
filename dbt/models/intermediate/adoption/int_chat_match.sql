{{ config(materialized='view') }}
with

nearest as (
    {% for rank in range(1, 4) %}
    select
        request_key,
        {{ rank }} as match_rank,
        task_text_id_{{ rank }} as task_text_id,
        cosine_{{ rank }} as cosine,
        embedder,
        weights_sha256
    from {{ ref('stg_request_match') }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

final as (
    select
        request.chat_key,
        nearest.match_rank,
        nearest.task_text_id,
        nearest.cosine,
        member.task_text_id is not null as is_kept,
        nearest.embedder,
        nearest.weights_sha256
    from {{ ref('stg_chat_request') }} as request
    inner join nearest on request.request_key = nearest.request_key
    left join {{ ref('stg_task_set') }} as member
        on request.task_set = member.task_set and nearest.task_text_id = member.task_text_id
    where nearest.task_text_id is not null
)

select * from final
