with final as (
    select
        system,
        incitation,
        regime,
        feature_set,
        auroc,
        n_items,
        n_unannotated,
        missing_share,
        n_propensities,
        n_folds,
        n_undefined_folds
    from {{ ref('stg_assessor') }}
)

select * from final
