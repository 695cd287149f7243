with workers as (
    select
        *,
        count(*) over () as n_workers
    from {{ ref('stg_candidate') }}
    where is_worker
),

final as (
    select
        'tournament_verdict' as table_name,
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
    union all
    select
        'candidate' as table_name,
        source_file,
        row_number,
        'candidate' as column_name,
        candidate as value,
        'all stands for everybody: give it another name' as reason
    from {{ source('raw', 'candidate') }}
    where candidate = 'all'
    union all
    select
        'candidate' as table_name,
        source_file,
        row_number,
        'role' as column_name,
        role_text as value,
        'more than one worker: each counts as working without help; keep one' as reason
    from workers
    where n_workers > 1
    union all
    select
        'candidate' as table_name,
        source_file,
        row_number,
        'family' as column_name,
        null as value,
        'blank: nobody of its family is kept from judging it' as reason
    from {{ ref('stg_candidate') }}
    where is_candidate and family is null
)

select * from final
