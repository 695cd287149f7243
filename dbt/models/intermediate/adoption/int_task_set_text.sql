with

final as (
    select
        member.task_set,
        member.task_text_id,
        task_set.n_chats
    from {{ ref('stg_task_set') }} as member
    inner join {{ ref('int_task_set') }} as task_set on member.task_set = task_set.task_set
)

select * from final
