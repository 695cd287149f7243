{{ config(materialized='view') }}

with

sweep as (
    select * from {{ ref('stg_suitability_sweep') }}
),

disclosed as (
    select * from {{ ref('int_disclosed_importance') }}
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
        sweep.mean_s_log,
        sweep.mean_log,
        sweep.q025_log,
        sweep.q975_log,
        disclosed.n_respondents,
        disclosed.is_thin,
        disclosed.is_suppressed
    from sweep
    left join disclosed
        on
            sweep.scope_type = disclosed.scope_type
            and sweep.scope = disclosed.scope
            and sweep.activity = disclosed.activity
)

select * from final
