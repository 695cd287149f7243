with

task as (
    select * from {{ ref('stg_task') }}
),

task_activity as (
    select * from {{ ref('stg_task_activity') }}
),

activity as (
    select * from {{ ref('int_work_activity') }}
),

dwa as (
    select distinct
        task.task_text_id,
        task_activity.dwa_id,
        detailed.parent_id as iwa_id,
        intermediate.parent_id as gwa_id
    from task
    inner join task_activity on task.task_id = task_activity.task_id
    inner join activity as detailed on task_activity.dwa_id = detailed.activity_id
    inner join activity as intermediate on detailed.parent_id = intermediate.activity_id
),

final as (
    select
        task_text_id,
        'DWA' as level,
        dwa_id as activity_id
    from dwa
    union all
    select distinct
        task_text_id,
        'IWA' as level,
        iwa_id as activity_id
    from dwa
    union all
    select distinct
        task_text_id,
        'GWA' as level,
        gwa_id as activity_id
    from dwa
)

select * from final
