with

answers as (
    select * from {{ ref('stg_survey_answer') }}
    where reason is not null
),

duplicates as (
    select * from {{ ref('stg_survey_record') }}
    where is_duplicate
),

final as (
    select
        'survey_response' as table_name,
        source_file,
        row_number,
        question as column_name,
        substring(answer, 1, 200) as value,
        reason
    from answers
    union all
    select
        'survey_response' as table_name,
        source_file,
        row_number,
        'respondent' as column_name,
        respondent as value,
        'respondent appears twice: the first record counts' as reason
    from duplicates
)

select * from final
