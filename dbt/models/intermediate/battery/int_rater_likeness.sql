with

pair as (
    select * from {{ ref('int_rating_pair') }}
),

place as (
    select
        rater,
        min(source_file) as source_file
    from {{ ref('stg_rating') }}
    group by rater
),

counted as (
    select
        rater_a,
        rater_b,
        sum(n_items) / count(distinct capability) as n_items,
        sum(n_items) as n_levels,
        sum(case when level_a = level_b then n_items else 0 end) as n_equal
    from pair
    group by rater_a, rater_b
),

final as (
    select
        counted.rater_a,
        counted.rater_b,
        place_a.source_file as file_a,
        place_b.source_file as file_b,
        cast(counted.n_items as bigint) as n_items,
        cast(counted.n_levels as bigint) as n_levels,
        cast(counted.n_equal as bigint) as n_equal,
        {{ to_double('counted.n_equal') }} / counted.n_levels as equal_share,
        counted.rater_a || ' = ' || counted.rater_b as pair
    from counted
    inner join place as place_a on counted.rater_a = place_a.rater
    inner join place as place_b on counted.rater_b = place_b.rater
)

select * from final
