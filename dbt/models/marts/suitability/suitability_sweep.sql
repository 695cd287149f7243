with

sweep as (
    select * from {{ source('model', 'suitability_sweep') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

final as (
    select
        sweep.basis,
        sweep.scope_type,
        sweep.scope,
        sweep.weighting,
        sweep.power,
        sweep.sharpness,
        sweep.weight_uncertainty,
        sweep.activity,
        sweep.system,
        sweep.is_ranked,
        case when not activity_importance.is_suppressed then sweep.mean_s_log end as mean_s_log,
        case when not activity_importance.is_suppressed then sweep.mean_log end as mean_log,
        case when not activity_importance.is_suppressed then sweep.q025_log end as q025_log,
        case when not activity_importance.is_suppressed then sweep.q975_log end as q975_log,
        activity_importance.n_respondents,
        activity_importance.is_thin,
        activity_importance.is_suppressed
    from sweep
    left join activity_importance
        on
            sweep.scope_type = activity_importance.scope_type
            and sweep.scope = activity_importance.scope
            and sweep.activity = activity_importance.activity
)

select * from final
