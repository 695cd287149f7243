with

final as (
    select
        embedder,
        weights_sha256,
        has_root,
        pearson_r,
        n_pairs,
        'all pairs' as sampling
    from {{ ref('stg_embedder_validation') }}
)

select * from final
