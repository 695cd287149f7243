with result_item as (
    select * from {{ ref('int_result_item') }}
),

battery_item as (
    select * from {{ ref('int_battery_item') }}
),

family as (
    select * from {{ ref('seed_benchmark_family') }}
),

ai_system as (
    select distinct system from result_item
),

benchmark_item as (
    select
        benchmark,
        count(*) as n_items,
        sum(case when is_valid then 1 else 0 end) as n_valid_items
    from battery_item
    group by benchmark
),

benchmark_result as (
    select
        benchmark,
        system,
        count(*) as n_results,
        sum(case when is_in_battery then 1 else 0 end) as n_matched
    from result_item
    group by benchmark, system
),

named as (
    select benchmark from benchmark_item
    union
    select benchmark from benchmark_result
),

final as (
    select
        named.benchmark,
        ai_system.system,
        coalesce(family.family, named.benchmark) as family,
        cast(coalesce(benchmark_item.n_items, 0) as bigint) as n_items,
        cast(coalesce(benchmark_item.n_valid_items, 0) as bigint) as n_valid_items,
        cast(coalesce(benchmark_result.n_results, 0) as bigint) as n_results,
        {{ to_double('benchmark_result.n_matched') }} / nullif(benchmark_result.n_results, 0) as join_coverage_share,
        family.family is not null as is_known
    from named
    cross join ai_system
    left join family on named.benchmark = family.benchmark
    left join benchmark_item on named.benchmark = benchmark_item.benchmark
    left join benchmark_result
        on named.benchmark = benchmark_result.benchmark and ai_system.system = benchmark_result.system
)

select * from final
