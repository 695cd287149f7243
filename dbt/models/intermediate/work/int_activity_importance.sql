with

scopes as (
    select * from {{ ref('int_survey_scope') }}
),

activities as (
    select * from {{ ref('stg_survey_activity') }}
    where activity is not null
),

scored as (
    select
        respondent,
        activity,
        is_selected,
        {# selected without a usable rank is unknown, not 0 #}
        case when is_selected then {{ to_double('6 - importance_rank') }} else {{ to_double('0') }} end as score,
        case when is_selected then {{ to_double('6 - importance_rank') }} end as score_if_selected,
        case when is_selected then hours_per_week end as hours_if_selected
    from activities
),

pooled as (
    select
        scopes.scope_type,
        scopes.scope,
        scored.activity,
        count(*) as n_respondents,
        sum(case when scored.is_selected then 1 else 0 end) as n_selected,
        count(scored.score_if_selected) as n_ranked,
        count(scored.hours_if_selected) as n_hours,
        {{ exact_avg('scored.score') }} as importance,
        {{ exact_avg('scored.score_if_selected') }} as conditional_importance,
        {{ exact_avg('scored.hours_if_selected') }} as hours_per_week
    from scopes
    inner join scored on scopes.respondent = scored.respondent
    group by scopes.scope_type, scopes.scope, scored.activity
),

interviews as (
    select
        scope_type,
        scope,
        activity,
        count(*) as n_interviews
    from {{ ref('int_interview') }}
    where is_usable
    group by scope_type, scope, activity
),

final as (
    select
        pooled.scope_type,
        pooled.scope,
        pooled.activity,
        case when pooled.n_selected > 0 then pooled.importance end as importance,
        pooled.conditional_importance,
        pooled.hours_per_week,
        cast(pooled.n_selected as bigint) as n_selected,
        cast(pooled.n_ranked as bigint) as n_ranked,
        cast(pooled.n_hours as bigint) as n_hours,
        cast(pooled.n_respondents as bigint) as n_respondents,
        pooled.n_selected = 0 as is_absent
    from pooled
    union all
    select
        scope_type,
        scope,
        activity,
        {# an interview asks for capabilities alone #}
        cast(null as {{ type_double() }}) as importance,
        cast(null as {{ type_double() }}) as conditional_importance,
        cast(null as {{ type_double() }}) as hours_per_week,
        cast(n_interviews as bigint) as n_selected,
        cast(0 as bigint) as n_ranked,
        cast(0 as bigint) as n_hours,
        cast(n_interviews as bigint) as n_respondents,
        false as is_absent
    from interviews
)

select * from final
