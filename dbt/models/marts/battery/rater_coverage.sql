with

item as (
    select distinct
        rater,
        benchmark,
        item
    from {{ ref('stg_rating') }}
    where level is not null
),

rater as (
    select distinct rater from item
),

n_rater as (
    select count(*) as n_raters from rater
),

rated as (
    select
        benchmark,
        item,
        count(*) as n_raters
    from item
    group by benchmark, item
),

benchmark as (
    select
        benchmark,
        count(*) as n_items
    from rated
    group by benchmark
),

own as (
    select
        item.rater,
        item.benchmark,
        count(*) as n_items,
        sum(case when rated.n_raters < n_rater.n_raters then 1 else 0 end) as n_lost
    from item
    inner join rated on item.benchmark = rated.benchmark and item.item = rated.item
    cross join n_rater
    group by item.rater, item.benchmark
),

{# a name that the rater lacks, beside the rater's names that others lack #}
candidate as (
    select
        rater.rater,
        benchmark.benchmark,
        own.benchmark as other_benchmark,
        {{ plain_key('benchmark.benchmark') }} as plain,
        {{ plain_key('own.benchmark') }} as other_plain
    from rater
    cross join benchmark
    inner join own on rater.rater = own.rater and own.n_lost > 0
    left join own as present on rater.rater = present.rater and benchmark.benchmark = present.benchmark
    where present.benchmark is null
),

distance as (
    select
        *,
        levenshtein(plain, other_plain) as n_edits
    from candidate
),

nearest as (
    select
        rater,
        benchmark,
        other_benchmark,
        row_number() over (partition by rater, benchmark order by n_edits, other_benchmark) as place
    from distance
    {# one letter in four, or fewer #}
    where 4 * n_edits <= greatest(length(plain), length(other_plain))
),

final as (
    select
        rater.rater,
        benchmark.benchmark,
        cast(coalesce(own.n_items, 0) as bigint) as n_items,
        cast(benchmark.n_items - coalesce(own.n_items, 0) as bigint) as n_missing,
        cast(coalesce(own.n_lost, 0) as bigint) as n_lost,
        {{ to_double('coalesce(own.n_items, 0)') }} / benchmark.n_items as coverage_share,
        nearest.other_benchmark as nearest_benchmark
    from rater
    cross join benchmark
    left join own on rater.rater = own.rater and benchmark.benchmark = own.benchmark
    left join nearest
        on rater.rater = nearest.rater and benchmark.benchmark = nearest.benchmark and nearest.place = 1
)

select * from final
