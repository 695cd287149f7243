with draws as (
    select * from {{ ref('stg_capability_draw') }}
),

diagnostics as (
    select * from {{ ref('stg_capability_diagnostic') }}
),

summaries as (
    select
        system,
        dimension,
        avg(value) as mean_log,
        stddev_samp(value) as sd_log,
        percentile_cont(0.025) within group (order by value) as q025_log,
        percentile_cont(0.975) within group (order by value) as q975_log
    from draws
    group by system, dimension
),

correlations as (
    select * from {{ ref('posterior_correlation') }}
),

strongest as (
    select
        system,
        dimension_a as dimension,
        max(abs(r)) as max_abs_correlation
    from correlations
    group by system, dimension_a
),

final as (
    select
        summaries.system,
        summaries.dimension,
        summaries.mean_log,
        summaries.sd_log,
        summaries.q025_log,
        summaries.q975_log,
        diagnostics.rhat,
        diagnostics.ess_bulk,
        1 - summaries.sd_log * summaries.sd_log
        / ({{ to_double(var('capability_prior_sd')) }} * {{ to_double(var('capability_prior_sd')) }}) as contraction,
        strongest.max_abs_correlation
    from summaries
    inner join diagnostics
        on summaries.system = diagnostics.system and summaries.dimension = diagnostics.dimension
    left join strongest
        on summaries.system = strongest.system and summaries.dimension = strongest.dimension
)

select * from final
