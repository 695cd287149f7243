with

responses as (
    select * from {{ source('raw', 'survey_response') }}
),

records as (
    select distinct
        source_file,
        row_number as record_line,
        source,
        company,
        respondent
    from responses
),

ordered as (
    select
        *,
        rank() over (partition by respondent order by source_file, record_line) as record_order
    from records
),

final as (
    select
        source_file,
        record_line as row_number,
        source,
        company,
        respondent,
        record_order > 1 as is_duplicate
    from ordered
)

select * from final
