with pair as (
    select * from {{ ref('int_tournament_pair') }}
),

side as (
    select
        task,
        mode,
        candidate_a as candidate,
        candidate_b as opponent,
        n_a + 0.5 * n_tie as n_won,
        n_b + 0.5 * n_tie as n_lost
    from pair
    union all
    select
        task,
        mode,
        candidate_b as candidate,
        candidate_a as opponent,
        n_b + 0.5 * n_tie as n_won,
        n_a + 0.5 * n_tie as n_lost
    from pair
),

total as (
    select
        task,
        mode,
        candidate,
        opponent,
        {{ to_double('sum(n_won)') }} as n_won,
        {{ to_double('sum(n_lost)') }} as n_lost
    from side
    group by task, mode, candidate, opponent
),

final as (
    select
        task,
        mode,
        candidate,
        opponent,
        n_won,
        n_lost,
        (n_won + 0.5) * (n_lost + 0.5) / ((n_won + n_lost + 1) * (n_won + n_lost + 1) * (n_won + n_lost + 2))
            as variance
    from total
)

select * from final
