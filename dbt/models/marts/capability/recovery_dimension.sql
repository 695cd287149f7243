with

recovered as (
    select * from {{ ref('stg_recovery_dimension') }}
),

runs as (
    select cast(count(distinct run) as bigint) as n_runs
    from recovered
),

final as (
    select
        recovered.run,
        recovered.tau,
        recovered.intercept,
        recovered.dimension,
        runs.n_runs,
        recovered.r,
        recovered.contraction,
        recovered.mae
    from recovered
    cross join runs
)

select * from final
