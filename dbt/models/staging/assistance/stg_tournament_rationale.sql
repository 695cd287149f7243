with

supplied as (
    select * from {{ source('raw', 'tournament_verdict') }}
),

asked as (
    select * from {{ source('raw', 'tournament_llm_verdict') }}
),

final as (
    select
        source_file,
        row_number,
        cast(null as {{ dbt.type_string() }}) as call_id,
        rationale
    from supplied
    union all
    select
        'ledger.sqlite' as source_file,
        call_number as row_number,
        call_id,
        rationale
    from asked
)

select * from final
