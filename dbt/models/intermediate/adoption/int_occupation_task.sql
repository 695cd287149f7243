with

final as (
    select
        occupation,
        task_id,
        task_text_id
    from {{ ref('stg_task') }}
)

select * from final
