with

compared as (
    select * from {{ source('estimate', 'model_comparison') }}
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
