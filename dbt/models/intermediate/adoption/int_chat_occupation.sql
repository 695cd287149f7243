with

counted as (
    select
        chat_match.chat_key,
        task.occupation,
        chat_match.country,
        count(*) as n_tasks
    from {{ ref('int_chat_match') }} as chat_match
    inner join {{ ref('int_occupation_task') }} as task on chat_match.task_text_id = task.task_text_id
    group by
        chat_match.chat_key,
        task.occupation,
        chat_match.country
),

final as (
    select
        chat_key,
        occupation,
        country,
        n_tasks,
        {{ to_double('n_tasks') }} / sum(n_tasks) over (partition by chat_key) as weight
    from counted
)

select * from final
