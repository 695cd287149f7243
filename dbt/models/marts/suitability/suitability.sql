with

scores as (
    select * from {{ source('estimate', 'suitability') }}
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
        {{ unsuppressed('cell', 'scores', ['mean_log', 'sd_log', 'q025_log', 'q975_log', 'is_best_probability']) }},
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
