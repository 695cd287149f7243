with

scores as (
    select * from {{ source('model', 'suitability') }}
),

cell as (
    select * from {{ ref('int_policy_activity') }}
),

final as (
    select
        scores.scope_type,
        scores.scope,
        scores.activity,
        scores.system,
        scores.policy,
        cell.weighting,
        cell.power,
        cell.sharpness,
        cell.weight_uncertainty,
        case when not cell.is_suppressed then scores.mean_log end as mean_log,
        case when not cell.is_suppressed then scores.sd_log end as sd_log,
        case when not cell.is_suppressed then scores.q025_log end as q025_log,
        case when not cell.is_suppressed then scores.q975_log end as q975_log,
        case when not cell.is_suppressed then scores.is_best_probability end as is_best_probability,
        cell.n_respondents,
        cell.is_thin,
        cell.is_suppressed
    from scores
    left join cell
        on
            scores.scope_type = cell.scope_type
            and scores.scope = cell.scope
            and scores.activity = cell.activity
            and scores.policy = cell.policy
)

select * from final
