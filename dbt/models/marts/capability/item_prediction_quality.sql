with predictions as (
    select * from {{ ref('stg_item_prediction') }}
),

groups as (
    select
        system,
        benchmark,
        score,
        predicted,
        khat
    from predictions
    union all
    select
        system,
        'all' as benchmark,
        score,
        predicted,
        khat
    from predictions
),

summaries as (
    select
        system,
        benchmark,
        cast(count(*) as bigint) as n_items,
        {{ exact_avg('score') }} as observed,
        {{ exact_avg('predicted') }} as predicted,
        {{ exact_avg('(score - predicted) * (score - predicted)') }} as brier,
        max(khat) as khat_max
    from groups
    group by system, benchmark
),

-- a score between 0 and 1 is that share of a success and the rest of a failure
tied as (
    select
        system,
        benchmark,
        predicted,
        sum(cast(score as decimal(38, 15))) as n_passed,
        sum(cast(1 - score as decimal(38, 15))) as n_failed
    from groups
    group by system, benchmark, predicted
),

ranked as (
    select
        system,
        benchmark,
        {{ to_double('n_passed') }} as n_passed,
        {{ to_double('n_failed') }} as n_failed,
        {{ to_double(
            'sum(n_failed) over (partition by system, benchmark order by predicted'
            ~ ' rows between unbounded preceding and current row)'
        ) }} as n_failed_so_far
    from tied
),

-- share of pairs of a success and a failure in which the success was predicted higher, ties by half
areas as (
    select
        system,
        benchmark,
        {{ to_double('sum(cast(n_passed * (n_failed_so_far - n_failed / 2) as decimal(38, 15)))') }}
        / nullif(
            {{ to_double('sum(cast(n_passed as decimal(38, 15)))') }}
            * {{ to_double('sum(cast(n_failed as decimal(38, 15)))') }}, 0
        ) as auroc
    from ranked
    group by system, benchmark
),

final as (
    select
        summaries.system,
        summaries.benchmark,
        summaries.n_items,
        summaries.observed,
        summaries.predicted,
        summaries.brier,
        areas.auroc,
        summaries.khat_max
    from summaries
    inner join areas on summaries.system = areas.system and summaries.benchmark = areas.benchmark
)

select * from final
