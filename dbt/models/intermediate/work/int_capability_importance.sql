with

scopes as (
    select * from {{ ref('int_survey_scope') }}
),

selected as (
    select
        respondent,
        activity
    from {{ ref('stg_survey_activity') }}
    where is_selected and activity is not null
),

retained as (
    select capability
    from {{ ref('int_capability_retention') }}
    where is_retained
),

points as (
    select * from {{ ref('stg_survey_points') }}
),

interviews as (
    select * from {{ ref('int_interview') }}
    where is_usable
),

interview_points as (
    select * from {{ ref('stg_interview') }}
    where points is not null
),

rated as (
    select
        scopes.scope_type,
        scopes.scope,
        selected.activity,
        retained.capability,
        coalesce(points.points, 0) as points
    from scopes
    inner join selected on scopes.respondent = selected.respondent
    cross join retained
    left join points
        on
            selected.respondent = points.respondent
            and selected.activity = points.activity
            and retained.capability = points.capability
    union all
    select
        interviews.scope_type,
        interviews.scope,
        interviews.activity,
        retained.capability,
        coalesce(interview_points.points, 0) as points
    from interviews
    cross join retained
    left join interview_points
        on
            interviews.source_file = interview_points.source_file
            and interviews.scope_type = interview_points.scope_type
            and interviews.scope = interview_points.scope
            and interviews.activity = interview_points.activity
            and retained.capability = interview_points.capability
),

final as (
    select
        scope_type,
        scope,
        activity,
        capability,
        {{ exact_avg('points') }} as points,
        {{ exact_avg('case when points > 0 then points end') }} as points_if_selected,
        cast(count(*) as bigint) as n_raters,
        cast(sum(case when points > 0 then 1 else 0 end) as bigint) as n_selected
    from rated
    group by scope_type, scope, activity, capability
)

select * from final
