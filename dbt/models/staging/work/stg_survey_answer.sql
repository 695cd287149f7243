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
        case when kind = 'number' or field = 'status' then {{ try_double('answer') }} end as number_given,
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

{# Qualtrics codes the status in bits: 1 preview, 2 test, 4 imported, 8 spam, 16 offline, 32 and 64 other products #}
marked as (
    select
        *,
        case
            when kind = 'mark' and number_given >= 0 and number_given < 128 and number_given = floor(number_given)
                then cast(number_given as bigint)
        end as status_code
    from counted
),

judged as (
    select
        marked.*,
        case
            when marked.kind = 'mark' and lower(marked.answer) like '%preview%' then 'preview'
            when marked.kind = 'mark' and lower(marked.answer) like '%test%' then 'test'
            when marked.kind = 'mark' and lower(marked.answer) like '%spam%' then 'spam'
            when marked.status_code % 2 = 1 then 'preview'
            when marked.status_code % 4 >= 2 then 'test'
            when marked.status_code % 16 >= 8 then 'spam'
        end as mark,
        case
            when
                marked.field = 'status' and marked.status_code is null
                and (marked.number_given is not null or marked.answer like '(withheld%')
                then 'unknown status, counted as a person'
            when marked.kind = 'mark' then null
            when marked.kind = 'list' and marked.n_codes <> marked.n_known_codes
                then 'list holds an unknown or repeated code'
            when marked.kind = 'list' then null
            when marked.number_given is null then 'not a number'
            when marked.is_whole and marked.number_given <> floor(marked.number_given) then 'not a whole number'
            when marked.number_given < marked.low then 'below the allowed range'
            when marked.number_given > marked.high then 'above the allowed range'
            when marked.field = 'domain_code' and domains.domain is null then 'unknown domain'
        end as reason
    from marked
    left join domains
        on
            marked.field = 'domain_code'
            and marked.number_given = {{ to_double('domains.domain_code') }}
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
        case when reason is null and kind = 'number' then number_given end as value,
        mark,
        reason
    from judged
)

select * from final
