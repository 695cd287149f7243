with

scores as (
    select * from {{ ref('stg_suitability') }}
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
        scores.mean_log,
        scores.sd_log,
        scores.q025_log,
        scores.q975_log,
        scores.is_best_probability,
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
