with final as (
    select
        regime,
        system,
        feature_set,
        baseline,
        augmented,
        delta,
        n_incitations
    from {{ ref('stg_assessor_system') }}
)

select * from final
