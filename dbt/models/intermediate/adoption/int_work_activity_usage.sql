with

used as (
    select
        activity.level,
        activity.activity_id,
        count(distinct chat_match.chat_key) as n_chats
    from {{ ref('int_chat_match') }} as chat_match
    inner join {{ ref('int_task_work_activity') }} as activity on chat_match.task_text_id = activity.task_text_id
    group by
        activity.level,
        activity.activity_id
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
