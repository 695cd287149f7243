with by_benchmark as (
    select * from {{ ref('stg_battery_selection_benchmark') }}
),

available as (
    select
        benchmark,
        sum(case when is_rated then 1 else 0 end) as n_rated
    from {{ ref('int_available_item') }}
    group by benchmark
),

chosen as (
    select
        benchmark,
        sum(case when is_rated then 1 else 0 end) as n_rated
    from {{ ref('battery_selection_item') }}
    group by benchmark
),

final as (
    select
        by_benchmark.benchmark,
        by_benchmark.n_available,
        cast(available.n_rated as bigint) as n_rated,
        by_benchmark.n_sampled,
        by_benchmark.n_open,
        by_benchmark.max_items,
        by_benchmark.n_selected,
        cast(coalesce(chosen.n_rated, 0) as bigint) as n_selected_rated,
        by_benchmark.n_proportional,
        {{ to_double('by_benchmark.n_selected') }}
        / nullif(sum(by_benchmark.n_selected) over (), 0) as selected_share,
        by_benchmark.selection_sha256,
        by_benchmark.relaxed
    from by_benchmark
    inner join available on by_benchmark.benchmark = available.benchmark
    left join chosen on by_benchmark.benchmark = chosen.benchmark
)

select * from final
