with

scores as (
    select * from {{ source('model', 'suitability_pooled') }}
),

policy as (
    select * from {{ ref('policy') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

final as (
    select
        scores.scope_type,
        scores.scope,
        scores.activity,
        scores.policy,
        policy.weighting,
        policy.power,
        policy.sharpness,
        policy.weight_uncertainty,
        case when not activity_importance.is_suppressed then scores.mean_log end as mean_log,
        case when not activity_importance.is_suppressed then scores.sd_log end as sd_log,
        case when not activity_importance.is_suppressed then scores.q025_log end as q025_log,
        case when not activity_importance.is_suppressed then scores.q975_log end as q975_log,
        activity_importance.n_respondents,
        activity_importance.is_thin,
        activity_importance.is_suppressed
    from scores
    left join policy on scores.policy = policy.policy
    left join activity_importance
        on
            scores.scope_type = activity_importance.scope_type
            and scores.scope = activity_importance.scope
            and scores.activity = activity_importance.activity
)

select * from final
