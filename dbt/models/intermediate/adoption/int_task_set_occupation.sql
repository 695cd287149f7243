with

counted as (
    select
        task_set_text.task_set,
        task.occupation,
        count(*) as n_tasks
    from {{ ref('int_task_set_text') }} as task_set_text
    inner join {{ ref('int_occupation_task') }} as task on task_set_text.task_text_id = task.task_text_id
    group by
        task_set_text.task_set,
        task.occupation
),

final as (
    select
        counted.task_set,
        counted.occupation,
        counted.n_tasks,
        {{ to_double('counted.n_tasks') }} / sum(counted.n_tasks) over (partition by counted.task_set) as weight,
        task_set.n_chats,
        task_set.n_us_chats
    from counted
    inner join {{ ref('int_task_set') }} as task_set on counted.task_set = task_set.task_set
)

select * from final
