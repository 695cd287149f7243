with

kept as (
    select
        respondent,
        domain,
        case
            when source = '{{ dbt.escape_single_quotes(var("online_source")) }}' then 'online'
            else 'company'
        end as recruitment
    from {{ ref('int_respondent_qc') }}
    where is_kept
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

final as (
    select
        kept.respondent,
        kept.recruitment,
        kept.domain,
        selected.activity,
        retained.capability,
        coalesce(points.points, 0) as points
    from kept
    inner join selected on kept.respondent = selected.respondent
    cross join retained
    left join points
        on
            selected.respondent = points.respondent
            and selected.activity = points.activity
            and retained.capability = points.capability
)

select * from final
