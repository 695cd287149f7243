with final as (
    select
        task,
        spearman_rho,
        p_value,
        n_candidates
    from {{ ref('stg_mode_correlation') }}
)

select * from final
