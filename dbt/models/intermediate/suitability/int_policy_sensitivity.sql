{% set setting = ['basis', 'scope_type', 'scope', 'weighting', 'power', 'sharpness'] %}
{% set ranking = setting + ['activity'] %}

with

sweep as (
    select * from {{ ref('int_suitability_sweep') }}
    where weight_uncertainty = 'none' and is_ranked
),

neutral as (
    select * from sweep
    where power = 0 and sharpness = 1
),

{# a catalogue has many millions of pairs: they are met once, by numbers #}
rankings as (
    select
        {{ ranking | join(', ') }},
        row_number() over (order by {{ ranking | join(', ') }}) as ranking_number
    from sweep
    where not is_suppressed
    group by {{ ranking | join(', ') }}
),

systems as (
    select
        system,
        row_number() over (order by system) as system_number
    from sweep
    group by system
),

scored as (
    select
        rankings.ranking_number,
        systems.system_number,
        sweep.mean_s_log,
        neutral.mean_s_log as neutral_s_log
    from sweep
    inner join rankings
        on {{ same_keys('sweep', 'rankings', ranking) }}
    inner join systems
        on sweep.system = systems.system
    inner join neutral
        on
            sweep.basis = neutral.basis
            and sweep.scope_type = neutral.scope_type
            and sweep.scope = neutral.scope
            and sweep.weighting = neutral.weighting
            and sweep.activity = neutral.activity
            and sweep.system = neutral.system
),

{# which of two systems is ahead: 1, -1, or 0 where they tie #}
pairs as (
    select
        one.ranking_number,
        sign(one.mean_s_log - other.mean_s_log) as ahead,
        sign(one.neutral_s_log - other.neutral_s_log) as neutral_ahead
    from scored as one
    inner join scored as other
        on one.ranking_number = other.ranking_number and one.system_number < other.system_number
),

{# tau-b: a pair that ties in one of the two rankings counts in the other's number of pairs only #}
agreement as (
    select
        ranking_number,
        sum(ahead * neutral_ahead) / sqrt(
            nullif({{ to_double('sum(abs(ahead)) * sum(abs(neutral_ahead))') }}, 0)
        ) as kendall_tau
    from pairs
    group by ranking_number
),

per_activity as (
    select
        {{ keys_of('rankings', ranking) }},
        agreement.kendall_tau
    from agreement
    inner join rankings on agreement.ranking_number = rankings.ranking_number
),

averaged as (
    select
        {{ setting | join(', ') }},
        cast(count(kendall_tau) as bigint) as n_activities,
        {{ exact_avg('kendall_tau') }} as kendall_tau
    from per_activity
    group by {{ setting | join(', ') }}
),

cells as (
    select
        {{ setting | join(', ') }},
        max(n_respondents) as n_respondents,
        bool_and(is_suppressed) as is_suppressed
    from sweep
    group by {{ setting | join(', ') }}
),

final as (
    select
        {{ keys_of('cells', setting) }},
        averaged.kendall_tau,
        coalesce(averaged.n_activities, 0) as n_activities,
        cells.n_respondents,
        cells.n_respondents < 5 as is_thin,
        cells.is_suppressed
    from cells
    left join averaged
        on
            {{ same_keys('cells', 'averaged', setting) }}
)

select * from final
