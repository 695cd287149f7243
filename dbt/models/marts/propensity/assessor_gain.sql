with gain as (
    select * from {{ ref('stg_assessor_gain') }}
),

final as (
    select
        regime,
        max(case when feature_set = 'capabilities_propensities' then baseline end) as baseline,
        max(case when feature_set = 'capabilities_propensities' then augmented end) as augmented,
        max(case when feature_set = 'capabilities_propensities' then mean_delta end) as mean_delta,
        max(case when feature_set = 'capabilities_propensities' then delta_low end) as delta_low,
        max(case when feature_set = 'capabilities_propensities' then delta_high end) as delta_high,
        max(case when feature_set = 'capabilities_propensities' then wilcoxon_p end) as wilcoxon_p,
        max(case when feature_set = 'capabilities_propensities' then n_systems end) as n_systems,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then baseline end)
            as baseline_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then augmented end)
            as augmented_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then mean_delta end)
            as mean_delta_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then delta_low end)
            as delta_low_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then delta_high end)
            as delta_high_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then wilcoxon_p end)
            as wilcoxon_p_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then n_systems end)
            as n_systems_ultracrepidarianism,
        max(case when feature_set = 'capabilities_propensities' then n_propensities end) as n_propensities,
        max(case when feature_set = 'capabilities_propensities' then n_withheld end) as n_withheld,
        max(case when feature_set = 'capabilities_propensities' then missing_share end) as missing_share,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then n_withheld end)
            as n_withheld_ultracrepidarianism,
        max(case when feature_set = 'capabilities_ultracrepidarianism' then missing_share end)
            as missing_share_ultracrepidarianism
    from gain
    group by regime
)

select * from final
