with

final as (
    select
        level,
        activity_id,
        name,
        parent_id
    from {{ ref('stg_work_activity') }}
)

select * from final
