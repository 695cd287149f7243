with

answers as (
    select
        *,
        reason in ('unknown capability', 'the capability stands more than once in this interview') as is_of_capability
    from {{ ref('stg_interview') }}
    where reason is not null
),

final as (
    select
        'interview' as table_name,
        source_file,
        row_number,
        case when is_of_capability then 'capability' else 'points' end as column_name,
        case when is_of_capability then capability_name else answer end as value,
        reason
    from answers
)

select * from final
