with capability as (
    select * from {{ ref('seed_capability') }}
),

agreement as (
    select
        capability,
        avg(spearman_rho) as spearman_rho,
        avg(weighted_kappa) as weighted_kappa
    from {{ ref('int_rater_agreement') }}
    group by capability
),

final as (
    select
        capability.capability,
        {# an undefined figure speaks neither for nor against; both undefined = nothing to hold against it #}
        not (
            coalesce(agreement.spearman_rho, agreement.weighted_kappa) is not null
            and coalesce(agreement.spearman_rho < {{ var('min_spearman') }}, true)
            and coalesce(agreement.weighted_kappa < {{ var('min_kappa') }}, true)
        ) as is_retained
    from capability
    left join agreement on capability.capability = agreement.capability
)

select * from final
