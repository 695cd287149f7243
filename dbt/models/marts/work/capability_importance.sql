with

importance as (
    select * from {{ ref('int_capability_importance') }}
),

scopes as (
    select
        scope_type,
        scope,
        cast(count(*) as bigint) as n_respondents
    from {{ ref('int_survey_scope') }}
    group by scope_type, scope
),

final as (
    select
        importance.scope_type,
        importance.scope,
        importance.activity,
        importance.capability,
        importance.points,
        importance.points_if_selected,
        importance.n_raters,
        importance.n_selected,
        scopes.n_respondents,
        importance.n_raters < 5 as is_thin,
        false as is_suppressed
    from importance
    inner join scopes
        on
            importance.scope_type = scopes.scope_type
            and importance.scope = scopes.scope
)

select * from final
