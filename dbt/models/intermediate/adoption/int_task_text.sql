with

final as (
    select
        task_text_id,
        text,
        count(distinct occupation) as n_occupations
    from {{ ref('stg_task') }}
    group by
        task_text_id,
        text
)

select * from final
