{# Agreement of rater_a and rater_b by capability, from counts of their pairs of levels (columns rater_a, rater_b,
   capability, level_a, level_b, n_items).
   All sums are of whole numbers, so that no figure depends on row order: ranks are doubled and centred on n + 1. #}
{% macro agreement(pairs) %}
with pair as (
    select
        *,
        abs(level_a - level_b) as distance
    from {{ pairs }}
),

margin_a as (
    select
        rater_a,
        rater_b,
        capability,
        level_a,
        sum(n_items) as n
    from pair
    group by rater_a, rater_b, capability, level_a
),

margin_b as (
    select
        rater_a,
        rater_b,
        capability,
        level_b,
        sum(n_items) as n
    from pair
    group by rater_a, rater_b, capability, level_b
),

rank_a as (
    select
        *,
        2 * sum(n) over (partition by rater_a, rater_b, capability order by level_a)
        - n - sum(n) over (partition by rater_a, rater_b, capability) as centred_rank
    from margin_a
),

rank_b as (
    select
        *,
        2 * sum(n) over (partition by rater_a, rater_b, capability order by level_b)
        - n - sum(n) over (partition by rater_a, rater_b, capability) as centred_rank
    from margin_b
),

agreement as (
    select
        pair.rater_a,
        pair.rater_b,
        pair.capability,
        sum(pair.n_items) as n_items,
        {{ to_double('sum(pair.n_items * rank_a.centred_rank * rank_b.centred_rank)') }} as rank_covariation,
        {{ to_double('sum(pair.n_items * rank_a.centred_rank * rank_a.centred_rank)') }} as rank_variation_a,
        {{ to_double('sum(pair.n_items * rank_b.centred_rank * rank_b.centred_rank)') }} as rank_variation_b,
        {{ to_double('sum(pair.n_items * pair.distance * pair.distance)') }} as observed,
        {{ to_double('sum(pair.n_items * pair.distance)') }} as absolute_error,
        {{ to_double('sum(case when pair.distance <= 1 then pair.n_items else 0 end)') }} as n_within_one
    from pair
    inner join rank_a
        on
            pair.rater_a = rank_a.rater_a
            and pair.rater_b = rank_a.rater_b
            and pair.capability = rank_a.capability
            and pair.level_a = rank_a.level_a
    inner join rank_b
        on
            pair.rater_a = rank_b.rater_a
            and pair.rater_b = rank_b.rater_b
            and pair.capability = rank_b.capability
            and pair.level_b = rank_b.level_b
    group by pair.rater_a, pair.rater_b, pair.capability
),

chance as (
    select
        a.rater_a,
        a.rater_b,
        a.capability,
        {{ to_double('sum(a.n * b.n * (a.level_a - b.level_b) * (a.level_a - b.level_b))') }} as expected_times_n
    from margin_a as a
    inner join margin_b as b
        on a.rater_a = b.rater_a and a.rater_b = b.rater_b and a.capability = b.capability
    group by a.rater_a, a.rater_b, a.capability
),

final as (
    select
        agreement.rater_a,
        agreement.rater_b,
        agreement.capability,
        agreement.rank_covariation
        / nullif(sqrt(agreement.rank_variation_a) * sqrt(agreement.rank_variation_b), 0) as spearman_rho,
        1 - agreement.observed * agreement.n_items / nullif(chance.expected_times_n, 0) as weighted_kappa,
        agreement.absolute_error / nullif(agreement.n_items, 0) as mean_absolute_error,
        agreement.n_within_one / nullif(agreement.n_items, 0) as within_one_share,
        cast(agreement.n_items as bigint) as n_items
    from agreement
    inner join chance
        on
            agreement.rater_a = chance.rater_a
            and agreement.rater_b = chance.rater_b
            and agreement.capability = chance.capability
)

select * from final
{% endmacro %}
