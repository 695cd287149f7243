with capability as (
    select * from {{ ref('seed_capability') }}
),

agreement as (
    select
        capability,
        avg(spearman_rho) as mean_spearman_rho,
        avg(weighted_kappa) as mean_weighted_kappa
    from {{ ref('int_rater_agreement') }}
    group by capability
),

final as (
    select
        capability.capability,
        agreement.mean_spearman_rho,
        agreement.mean_weighted_kappa,
        {# an undefined figure speaks neither for nor against; both undefined = nothing to hold against it #}
        coalesce(
            agreement.mean_spearman_rho >= {{ var('min_spearman') }}
            or agreement.mean_weighted_kappa >= {{ var('min_kappa') }},
            agreement.mean_spearman_rho is null and agreement.mean_weighted_kappa is null
        ) as is_retained
    from capability
    left join agreement on capability.capability = agreement.capability
)

select * from final
