with

undefined as (
    select * from {{ source('model', 'undefined_weight') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

final as (
    select
        undefined.scope_type,
        undefined.scope,
        undefined.activity,
        undefined.policy,
        undefined.reason,
        activity_importance.n_respondents,
        activity_importance.is_thin,
        activity_importance.is_suppressed
    from undefined
    left join activity_importance
        on
            undefined.scope_type = activity_importance.scope_type
            and undefined.scope = activity_importance.scope
            and undefined.activity = activity_importance.activity
)

select * from final
