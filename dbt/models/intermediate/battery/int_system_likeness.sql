with

answer as (
    select
        system,
        benchmark,
        item,
        avg(score) as score,
        min(source_file) as source_file
    from {{ ref('int_result_item') }}
    where status = 'scored'
    group by system, benchmark, item
),

counted as (
    select
        a.system as system_a,
        b.system as system_b,
        min(a.source_file) as file_a,
        min(b.source_file) as file_b,
        count(*) as n_items,
        sum(case when a.score = b.score then 1 else 0 end) as n_equal,
        sum(case when a.score >= 0.5 then 1 else 0 end) as n_right_a,
        sum(case when b.score >= 0.5 then 1 else 0 end) as n_right_b
    from answer as a
    inner join answer as b
        on
            a.benchmark = b.benchmark
            and a.item = b.item
            and a.system < b.system
    group by a.system, b.system
),

shared as (
    select
        *,
        {{ to_double('n_equal') }} / n_items as equal_share,
        {{ to_double('n_right_a') }} / n_items * n_right_b / n_items
        + {{ to_double('n_items - n_right_a') }} / n_items * (n_items - n_right_b) / n_items as chance_share
    from counted
),

final as (
    select
        system_a,
        system_b,
        file_a,
        file_b,
        cast(n_items as bigint) as n_items,
        cast(n_equal as bigint) as n_equal,
        cast(least(n_right_a, n_right_b, n_items - n_right_a, n_items - n_right_b) as bigint) as n_rare,
        equal_share,
        case when chance_share < 1 then (equal_share - chance_share) / (1 - chance_share) end as kappa,
        system_a || ' = ' || system_b as pair
    from shared
)

select * from final
