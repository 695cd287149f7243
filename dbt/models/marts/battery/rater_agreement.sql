with agreement as (
    select * from {{ ref('int_rater_agreement') }}
),

retention as (
    select * from {{ ref('int_capability_retention') }}
),

final as (
    select
        agreement.rater_a,
        agreement.rater_b,
        agreement.capability,
        agreement.spearman_rho,
        agreement.weighted_kappa,
        agreement.mean_absolute_error,
        agreement.within_one_share,
        agreement.n_items,
        retention.is_retained
    from agreement
    inner join retention on agreement.capability = retention.capability
)

select * from final
