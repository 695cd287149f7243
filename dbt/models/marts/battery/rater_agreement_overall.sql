with overall as (
    select * from {{ ref('int_rater_agreement_overall') }}
),

retention as (
    select * from {{ ref('int_capability_retention') }}
),

final as (
    select
        overall.capability,
        overall.n_raters,
        overall.n_items,
        overall.krippendorff_alpha,
        retention.mean_spearman_rho,
        retention.mean_weighted_kappa,
        retention.is_retained
    from overall
    inner join retention on overall.capability = retention.capability
)

select * from final
