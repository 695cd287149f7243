with

used as (
    select
        occupation,
        cast(sum(n_chats) as bigint) as n_chats,
        {{ exact_sum('weight', 'n_chats') }} as chat_weight
    from {{ ref('int_task_set_occupation') }}
    group by occupation
),

seen as (
    select
        task.occupation,
        count(*) as n_tasks,
        sum(case when text_usage.task_text_id is not null then 1 else 0 end) as n_tasks_seen
    from {{ ref('int_occupation_task') }} as task
    left join {{ ref('int_task_text_usage') }} as text_usage on task.task_text_id = text_usage.task_text_id
    group by task.occupation
),

minimum as (
    select * from {{ ref('int_chat_minimum') }}
),

{# who has no task statements can't be matched: unknown, not unused #}
final as (
    select
        seen.occupation,
        coalesce(used.n_chats, 0) as n_chats,
        coalesce(used.chat_weight, {{ to_double('0') }}) as chat_weight,
        coalesce(used.chat_weight, {{ to_double('0') }}) / nullif(minimum.n_chats, 0) as chat_share,
        seen.n_tasks,
        cast(seen.n_tasks_seen as bigint) as n_tasks_seen,
        {{ to_double('seen.n_tasks_seen') }} / seen.n_tasks as seen_share
    from seen
    left join used on seen.occupation = used.occupation
    cross join minimum
)

select * from final
