with fits as (
    select * from {{ ref('stg_fit_diagnostic') }}
),

final as (
    select
        fit,
        engine,
        khat_max,
        n_chains,
        n_draws,
        n_divergent,
        rhat_max,
        ess_bulk_min,
        ess_tail_min,
        ebfmi_min,
        alpha_mean,
        alpha_sd,
        is_converged
    from fits
)

select * from final
