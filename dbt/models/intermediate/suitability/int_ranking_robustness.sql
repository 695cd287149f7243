{% set cell = ['basis', 'scope_type', 'scope', 'weighting', 'activity'] %}

with

sweep as (
    select * from {{ ref('int_suitability_sweep') }}
    where sharpness = 1 and is_ranked
),

ranked as (
    select
        {{ cell | join(', ') }},
        system,
        power,
        mean_s_log,
        rank() over (
            partition by {{ cell | join(', ') }}, power
            order by mean_s_log desc
        ) as place
    from sweep
    where weight_uncertainty = 'none' and not is_suppressed
),

cells as (
    select
        {{ cell | join(', ') }},
        count(distinct system) as n_systems,
        count(distinct power) as n_powers,
        max(n_respondents) as n_respondents,
        bool_or(is_thin) as is_thin,
        bool_or(is_suppressed) as is_suppressed
    from sweep
    group by {{ cell | join(', ') }}
),

{# the first of the alphabet where several share the first place #}
winners as (
    select
        {{ cell | join(', ') }},
        min(system) as winner
    from ranked
    where power = 0 and place = 1
    group by {{ cell | join(', ') }}
),

first_places as (
    select
        {{ cell | join(', ') }},
        system,
        count(*) as n_first_places
    from ranked
    where place = 1
    group by {{ cell | join(', ') }}, system
),

{# powers whose ranking an earlier power has had already #}
repeated as (
    select
        {{ keys_of('later', cell) }},
        later.power
    from ranked as earlier
    inner join ranked as later
        on
            {{ same_keys('earlier', 'later', cell) }}
            and earlier.system = later.system and earlier.power < later.power
    group by {{ keys_of('later', cell) }}, later.power, earlier.power
    having sum(case when earlier.place = later.place then 0 else 1 end) = 0
),

repeats as (
    select
        {{ cell | join(', ') }},
        count(distinct power) as n_repeats
    from repeated
    group by {{ cell | join(', ') }}
),

{# a pair keeps its order where one of the two is ahead at every power; a tie at any power is no order #}
pairs as (
    select
        {{ keys_of('one', cell) }},
        one.system,
        other.system as other_system,
        abs(sum(sign(one.mean_s_log - other.mean_s_log))) = count(*) as is_invariant
    from ranked as one
    inner join ranked as other
        on
            {{ same_keys('one', 'other', cell) }}
            and one.power = other.power and one.system < other.system
    group by {{ keys_of('one', cell) }}, one.system, other.system
),

intervals as (
    select * from sweep
    where power = 0
),

apart as (
    select
        {{ keys_of('one', cell) }},
        one.system,
        other.system as other_system,
        one.weight_uncertainty
    from intervals as one
    inner join intervals as other
        on
            {{ same_keys('one', 'other', cell) }}
            and one.weight_uncertainty = other.weight_uncertainty and one.system < other.system
    where one.q025_log > other.q975_log or other.q025_log > one.q975_log
),

counted as (
    select
        {{ keys_of('pairs', cell) }},
        count(*) as n_invariant_pairs,
        count(certain.system) as n_separated_pairs_fixed_weights,
        count(sampled.system) as n_separated_pairs
    from pairs
    left join apart as certain
        on
            {{ same_keys('pairs', 'certain', cell) }}
            and pairs.system = certain.system and pairs.other_system = certain.other_system
            and certain.weight_uncertainty = 'none'
    left join apart as sampled
        on
            {{ same_keys('pairs', 'sampled', cell) }}
            and pairs.system = sampled.system and pairs.other_system = sampled.other_system
            and sampled.weight_uncertainty = 'dirichlet'
    where pairs.is_invariant
    group by {{ keys_of('pairs', cell) }}
),

final as (
    select
        {{ keys_of('cells', cell) }},
        cast(cells.n_systems * (cells.n_systems - 1) / 2 as bigint) as n_pairs,
        winners.winner,
        case when not cells.is_suppressed then first_places.n_first_places = cells.n_powers end as is_winner_stable,
        case when not cells.is_suppressed then cells.n_powers - coalesce(repeats.n_repeats, 0) end as n_rankings,
        case when not cells.is_suppressed then coalesce(counted.n_invariant_pairs, 0) end as n_invariant_pairs,
        case
            when not cells.is_suppressed then coalesce(counted.n_separated_pairs_fixed_weights, 0)
        end as n_separated_pairs_fixed_weights,
        case when not cells.is_suppressed then coalesce(counted.n_separated_pairs, 0) end as n_separated_pairs,
        cells.n_respondents,
        cells.is_thin,
        cells.is_suppressed
    from cells
    left join winners
        on {{ same_keys('cells', 'winners', cell) }}
    left join first_places
        on
            {{ same_keys('winners', 'first_places', cell) }}
            and winners.winner = first_places.system
    left join repeats
        on {{ same_keys('cells', 'repeats', cell) }}
    left join counted
        on {{ same_keys('cells', 'counted', cell) }}
)

select * from final
