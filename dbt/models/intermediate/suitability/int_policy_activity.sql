with

policy as (
    select * from {{ ref('policy') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

final as (
    select
        activity_importance.scope_type,
        activity_importance.scope,
        activity_importance.activity,
        policy.policy,
        policy.weighting,
        policy.power,
        policy.sharpness,
        policy.weight_uncertainty,
        policy.importance_type,
        case policy.importance_type
            when 'conditional' then activity_importance.conditional_importance
            when 'frequency_adjusted' then activity_importance.importance
        end as importance,
        activity_importance.n_respondents,
        activity_importance.is_thin,
        activity_importance.is_suppressed
    from activity_importance
    cross join policy
)

select * from final
