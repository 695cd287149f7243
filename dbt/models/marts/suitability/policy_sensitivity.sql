{% set setting = ['basis', 'scope_type', 'scope', 'weighting', 'power', 'sharpness'] %}

with

sweep as (
    select * from {{ ref('suitability_sweep') }}
    where weight_uncertainty = 'none' and is_ranked
),

{# which of two systems is ahead: 1, -1, or 0 where they tie #}
pairs as (
    select
        {{ keys_of('one', setting) }},
        one.activity,
        one.system,
        other.system as other_system,
        sign(one.mean_s_log - other.mean_s_log) as ahead
    from sweep as one
    inner join sweep as other
        on
            {{ same_keys('one', 'other', setting) }}
            and one.activity = other.activity
            and one.system < other.system
    where not one.is_suppressed
),

neutral as (
    select * from pairs
    where power = 0 and sharpness = 1
),

{# tau-b: a pair that ties in one of the two rankings counts in the other's number of pairs only #}
per_activity as (
    select
        {{ keys_of('pairs', setting) }},
        pairs.activity,
        sum(pairs.ahead * neutral.ahead) / sqrt(
            nullif({{ to_double('sum(abs(pairs.ahead)) * sum(abs(neutral.ahead))') }}, 0)
        ) as kendall_tau
    from pairs
    inner join neutral
        on
            pairs.basis = neutral.basis
            and pairs.scope_type = neutral.scope_type
            and pairs.scope = neutral.scope
            and pairs.weighting = neutral.weighting
            and pairs.activity = neutral.activity
            and pairs.system = neutral.system
            and pairs.other_system = neutral.other_system
    group by {{ keys_of('pairs', setting) }}, pairs.activity
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
