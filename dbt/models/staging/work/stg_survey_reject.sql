with

answers as (
    select * from {{ ref('stg_survey_answer') }}
    where reason is not null
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
)

select * from final
