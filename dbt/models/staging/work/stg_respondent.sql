with

records as (
    select distinct
        source_file,
        row_number,
        source,
        company,
        respondent
    from {{ source('raw', 'survey_response') }}
),

answers as (
    select * from {{ ref('stg_survey_answer') }}
),

companies as (
    select * from {{ ref('stg_company') }}
),

domains as (
    select * from {{ ref('seed_domain') }}
),

answered as (
    select
        respondent,
        {% for field in ['progress', 'duration_seconds', 'domain_code', 'years_role', 'years_field', 'age', 'sex_code',
                         'education_code', 'ai_positivity'] %}
        max(case when field = '{{ field }}' then value end) as {{ field }},
        {% endfor %}
        {# preview comes before spam and test, as in the alphabet #}
        min(mark) as mark,
        case
            when count(case when field = 'quiz' then value end) > 0
                then sum(case when field = 'quiz' and value = 1 then 1 else 0 end)
        end as quiz_correct
    from answers
    group by respondent
),

final as (
    select
        records.respondent,
        records.source_file,
        records.row_number,
        records.source,
        companies.company,
        domains.domain,
        answered.mark,
        answered.progress,
        answered.duration_seconds,
        cast(answered.quiz_correct as bigint) as quiz_correct,
        answered.years_role,
        answered.years_field,
        answered.age,
        cast(answered.sex_code as bigint) as sex,
        cast(answered.education_code as bigint) as education,
        answered.ai_positivity
    from records
    left join answered on records.respondent = answered.respondent
    left join companies on records.company = companies.spelling
    left join domains on answered.domain_code = {{ to_double('domains.domain_code') }}
)

select * from final
