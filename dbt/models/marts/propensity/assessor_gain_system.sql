with final as (
    select
        regime,
        system,
        feature_set,
        baseline,
        augmented,
        delta,
        n_incitations
    from {{ source('estimate', 'assessor_system') }}
)

select * from final
