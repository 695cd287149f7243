with

final as (
    select
        task_text_id,
        cast(sum(n_chats) as bigint) as n_chats
    from {{ ref('int_task_set_text') }}
    group by task_text_id
)

select * from final
