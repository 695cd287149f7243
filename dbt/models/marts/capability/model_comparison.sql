with

compared as (
    select * from {{ ref('stg_model_comparison') }}
),

final as (
    select
        model,
        n_items,
        n_responses,
        n_benchmarks,
        n_folds,
        log_score,
        difference,
        difference_se
    from compared
)

select * from final
