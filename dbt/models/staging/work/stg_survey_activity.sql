with

respondents as (
    select * from {{ ref('stg_respondent') }}
),

slots as (
    select
        activity_code,
        activity
    from {{ ref('stg_survey_question') }}
    where field = 'rank'
),

answers as (
    select * from {{ ref('stg_survey_answer') }}
),

selections as (
    select
        respondent,
        code_list
    from answers
    where field = 'selection'
),

numbers as (
    select
        respondent,
        activity_code,
        max(case when field = 'rank' then value end) as importance_rank,
        max(case when field = 'hours' then value end) as hours_per_week
    from answers
    where field in ('rank', 'hours')
    group by respondent, activity_code
),

final as (
    select
        respondents.respondent,
        slots.activity_code,
        slots.activity,
        coalesce(
            selections.code_list like '%,' || cast(slots.activity_code as {{ dbt.type_string() }}) || ',%', false
        ) as is_selected,
        cast(numbers.importance_rank as bigint) as importance_rank,
        numbers.hours_per_week
    from respondents
    cross join slots
    left join selections on respondents.respondent = selections.respondent
    left join numbers
        on
            respondents.respondent = numbers.respondent
            and slots.activity_code = numbers.activity_code
)

select * from final
