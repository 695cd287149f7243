with

final as (
    select distinct
        task_id,
        dwa_id
    from {{ source('raw', 'onet_task_dwa') }}
)

select * from final
