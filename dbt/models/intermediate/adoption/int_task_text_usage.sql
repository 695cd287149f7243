with

final as (
    select
        task_text_id,
        count(*) as n_chats
    from {{ ref('int_chat_match') }}
    group by task_text_id
)

select * from final
