with

responses as (
    select * from {{ source('raw', 'survey_response') }}
),

questions as (
    select * from {{ ref('stg_survey_question') }}
),

domains as (
    select * from {{ ref('seed_domain') }}
),

given as (
    select
        responses.source_file,
        responses.row_number,
        responses.respondent,
        questions.question,
        questions.field,
        questions.kind,
        questions.activity_code,
        questions.activity,
        questions.capability,
        questions.low,
        questions.high,
        questions.is_whole,
        trim(responses.answer) as answer
    from responses
    inner join questions on responses.question = questions.question
    where trim(responses.answer) <> ''
),

parsed as (
    select
        *,
        case when kind = 'number' then {{ try_double('answer') }} end as number_given,
        {# ',1,10,' whether the export wrote 1,10 or 1.0,10.0 #}
        case when kind = 'list' then replace(',' || replace(answer, ' ', '') || ',', '.0,', ',') end as code_list
    from given
),

counted as (
    select
        *,
        length(code_list) - length(replace(code_list, ',', '')) - 1 as n_codes,
        0
        {% for code in range(1, 22) %}
        + case when code_list like '%,{{ code }},%' and {{ code }} <= high then 1 else 0 end
        {% endfor %} as n_known_codes
    from parsed
),

judged as (
    select
        counted.*,
        case
            when counted.kind = 'list' and counted.n_codes <> counted.n_known_codes
                then 'list holds an unknown or repeated code'
            when counted.kind = 'list' then null
            when counted.number_given is null then 'not a number'
            when counted.is_whole and counted.number_given <> floor(counted.number_given) then 'not a whole number'
            when counted.number_given < counted.low then 'below the allowed range'
            when counted.number_given > counted.high then 'above the allowed range'
            when counted.field = 'domain_code' and domains.domain is null then 'unknown domain'
        end as reason
    from counted
    left join domains
        on
            counted.field = 'domain_code'
            and counted.number_given = {{ to_double('domains.domain_code') }}
),

final as (
    select
        source_file,
        row_number,
        respondent,
        question,
        field,
        activity_code,
        activity,
        capability,
        answer,
        code_list,
        case when reason is null then number_given end as value,
        reason
    from judged
)

select * from final
