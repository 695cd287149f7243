with

touched as (
    select distinct
        activity.level,
        activity.activity_id,
        task_set_text.task_set,
        task_set_text.n_chats
    from {{ ref('int_task_set_text') }} as task_set_text
    inner join {{ ref('int_task_work_activity') }} as activity on task_set_text.task_text_id = activity.task_text_id
),

used as (
    select
        level,
        activity_id,
        cast(sum(n_chats) as bigint) as n_chats
    from touched
    group by
        level,
        activity_id
),

minimum as (
    select * from {{ ref('int_chat_minimum') }}
),

final as (
    select
        activity.level,
        activity.activity_id,
        activity.name,
        coalesce(used.n_chats, 0) as n_chats,
        {{ to_double('coalesce(used.n_chats, 0)') }} / nullif(minimum.n_chats, 0) as share
    from {{ ref('int_work_activity') }} as activity
    left join used on activity.level = used.level and activity.activity_id = used.activity_id
    cross join minimum
)

select * from final
