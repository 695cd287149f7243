with

final as (
    select
        found.task_text_id,
        task.text as task,
        found.server,
        found.cosine
    from {{ ref('stg_server_match') }} as found
    inner join {{ ref('int_task_text') }} as task on found.task_text_id = task.task_text_id
)

select * from final
