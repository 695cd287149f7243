with

pooled as (
    select * from {{ ref('suitability_pooled') }}
),

policy as (
    select * from {{ ref('policy') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

chosen as (
    select
        pooled.*,
        policy.importance_type,
        case policy.importance_type
            when 'conditional' then activity_importance.conditional_importance
            when 'frequency_adjusted' then activity_importance.importance
        end as importance
    from pooled
    left join policy on pooled.policy = policy.policy
    left join activity_importance
        on
            pooled.scope_type = activity_importance.scope_type
            and pooled.scope = activity_importance.scope
            and pooled.activity = activity_importance.activity
),

final as (
    select
        scope_type,
        scope,
        activity,
        policy,
        weighting,
        importance_type,
        {# an importance of 0 (selected, but never among the five ranked) has no logarithm #}
        ln(nullif(importance, 0)) + mean_log as priority_log,
        ln(nullif(importance, 0)) + q025_log as q025_log,
        ln(nullif(importance, 0)) + q975_log as q975_log,
        n_respondents,
        is_thin,
        is_suppressed
    from chosen
)

select * from final
