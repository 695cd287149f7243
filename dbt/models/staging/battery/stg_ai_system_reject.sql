with record as (
    select * from {{ ref('stg_ai_system_record') }}
),

final as (
    select
        'ai_system' as table_name,
        source_file,
        row_number,
        'system' as column_name,
        system_text as value,
        case when system is null then 'blank system' else 'system stands twice; its first row counts' end as reason
    from record
    where system is null or occurrence > 1
    union all
    select
        'ai_system' as table_name,
        source_file,
        row_number,
        'released_on' as column_name,
        released_on_text as value,
        'not a date written year-month-day' as reason
    from record
    where released_on is null and released_on_text is not null
    union all
    select
        'ai_system' as table_name,
        source_file,
        row_number,
        'kind' as column_name,
        kind_text as value,
        'neither ai nor human; read as ai' as reason
    from record
    where lower(kind_text) not in ('ai', 'human')
)

select * from final
