with

answers as (
    select * from {{ ref('stg_survey_answer') }}
),

questions as (
    select * from {{ ref('stg_survey_question') }}
    where field = 'points'
),

picks as (
    select
        answers.respondent,
        questions.activity_code,
        questions.activity,
        questions.capability
    from answers
    inner join questions on answers.activity_code = questions.activity_code
    where
        answers.field = 'pick'
        and answers.code_list like '%,' || cast(questions.capability_code as {{ dbt.type_string() }}) || ',%'
),

points as (
    select
        respondent,
        activity_code,
        activity,
        capability,
        value as points
    from answers
    where field = 'points'
),

final as (
    select
        coalesce(points.respondent, picks.respondent) as respondent,
        coalesce(points.activity_code, picks.activity_code) as activity_code,
        coalesce(points.activity, picks.activity) as activity,
        coalesce(points.capability, picks.capability) as capability,
        picks.respondent is not null as is_picked,
        points.points
    from points
    full outer join picks
        on
            points.respondent = picks.respondent
            and points.activity_code = picks.activity_code
            and points.capability = picks.capability
)

select * from final
