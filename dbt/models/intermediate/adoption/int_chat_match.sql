with

matched as (
    select
        chat_key,
        task_text_id
    from {{ source('model', 'chat_match') }}
    where is_kept
),

final as (
    select
        matched.chat_key,
        matched.task_text_id,
        chat.country,
        chat.form
    from matched
    inner join {{ ref('int_chat') }} as chat on matched.chat_key = chat.chat_key
)

select * from final
