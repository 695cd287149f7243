with

pooled as (
    select * from {{ ref('suitability_pooled') }}
),

cell as (
    select * from {{ ref('int_policy_activity') }}
),

final as (
    select
        pooled.scope_type,
        pooled.scope,
        pooled.activity,
        pooled.policy,
        pooled.weighting,
        cell.importance_type,
        {# an importance of 0 (selected, but never among the five ranked) has no logarithm #}
        ln(nullif(cell.importance, 0)) + pooled.mean_log as priority_log,
        ln(nullif(cell.importance, 0)) + pooled.q025_log as q025_log,
        ln(nullif(cell.importance, 0)) + pooled.q975_log as q975_log,
        pooled.n_respondents,
        pooled.is_thin,
        pooled.is_suppressed
    from pooled
    left join cell
        on
            pooled.scope_type = cell.scope_type
            and pooled.scope = cell.scope
            and pooled.activity = cell.activity
            and pooled.policy = cell.policy
)

select * from final
