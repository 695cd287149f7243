with final as (
    select
        regime,
        feature_set,
        baseline,
        augmented,
        mean_delta,
        wilcoxon_p,
        n_systems
    from {{ source('model', 'assessor_gain') }}
)

select * from final
