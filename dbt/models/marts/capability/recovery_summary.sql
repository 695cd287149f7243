with

recovered as (
    select * from {{ ref('stg_recovery_summary') }}
),

runs as (
    select cast(count(distinct run) as bigint) as n_runs
    from recovered
),

final as (
    select
        recovered.run,
        recovered.tau,
        recovered.intercept,
        runs.n_runs,
        recovered.n_agents,
        recovered.n_items,
        recovered.shape_r,
        recovered.level_r,
        recovered.level_slope,
        recovered.effective_dimensions,
        recovered.mean_abs_correlation,
        recovered.worst_contraction,
        recovered.suitability_rho,
        recovered.suitability_pairwise_accuracy,
        recovered.khat_max,
        recovered.ess_min
    from recovered
    cross join runs
)

select * from final
