with

computed as (
    select * from {{ source('model', 'published_suitability') }}
),

final as (
    select
        'task-suitability-profiles' as paper,
        'Table C9' as table_name,
        row_name,
        column_name,
        computed
    from computed
)

select * from final
