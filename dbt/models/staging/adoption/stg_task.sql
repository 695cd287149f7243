with

task as (
    select
        occupation,
        task_id,
        {{ squeeze('task') }} as text,
        task_type
    from {{ source('raw', 'onet_task') }}
),

final as (
    select
        occupation,
        task_id,
        text,
        task_type,
        cast(min({{ id_number('task_id') }}) over (partition by text) as {{ dbt.type_string() }}) as task_text_id
    from task
)

select * from final
