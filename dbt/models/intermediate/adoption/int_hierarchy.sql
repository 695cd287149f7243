with

activity as (
    select * from {{ ref('int_work_activity') }}
),

task as (
    select * from {{ ref('stg_task') }}
),

task_activity as (
    select * from {{ ref('stg_task_activity') }}
),

final as (
    select
        level,
        activity_id as node_id,
        name as text,
        parent_id
    from activity
    union all
    select
        'task' as level,
        task.task_id as node_id,
        task.text,
        task_activity.dwa_id as parent_id
    from task
    left join task_activity on task.task_id = task_activity.task_id
)

select * from final
