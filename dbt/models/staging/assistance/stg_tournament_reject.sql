with final as (
    select
        'tournament_judgement' as table_name,
        source_file,
        row_number,
        column_name,
        value,
        reason
    from {{ ref('stg_tournament_verdict') }}
    where state = 'rejected'
    union all
    select
        'tournament_output' as table_name,
        source_file,
        row_number,
        column_name,
        value,
        reason
    from {{ ref('stg_tournament_output') }}
    where state = 'rejected'
    union all
    select distinct
        'assistance_trait' as table_name,
        source_file,
        row_number,
        column_name,
        value,
        reason
    from {{ ref('stg_assistance_trait') }}
    where state = 'rejected'
    union all
    select
        'candidate' as table_name,
        source_file,
        row_number,
        'role' as column_name,
        role_text as value,
        'not candidate, worker or judge' as reason
    from {{ ref('stg_candidate') }}
    where has_unknown_role
    union all
    select
        'candidate' as table_name,
        source_file,
        row_number,
        'gradient' as column_name,
        gradient_text as value,
        'not a number' as reason
    from {{ ref('stg_candidate') }}
    where gradient is null and gradient_text is not null
)

select * from final
