with own as (
    select *
    from {{ ref('propensity') }}
    where incitation = 'none' and estimate is not null
),

-- draws of the systems' overall capability, so that what they share cancels in the difference
overall as (
    select
        system,
        chain,
        draw,
        avg(value) as level
    from {{ ref('stg_capability_draw') }}
    -- most systems of a catalogue have no position to compare
    where system in (select own.system from own)
    group by system, chain, draw
),

capability as (
    select
        a.system as system_a,
        b.system as system_b,
        avg(a.level - b.level) as difference,
        stddev_samp(a.level - b.level) as sd_difference
    from overall as a
    inner join overall as b on a.chain = b.chain and a.draw = b.draw and a.system < b.system
    group by a.system, b.system
),

pair as (
    select
        a.system as system_a,
        b.system as system_b,
        a.propensity,
        a.name,
        a.estimate as estimate_a,
        b.estimate as estimate_b,
        a.is_saturated or a.is_ambiguous or a.is_thin or b.is_saturated or b.is_ambiguous or b.is_thin as is_flagged
    from own as a
    inner join own as b on a.propensity = b.propensity and a.system < b.system
),

band as (
    select *
    from {{ ref('stg_propensity_band_fit') }}
    where incitation = 'none' and fitted is not null
),

-- bands that both answered, by whom the fitted curves favour clearly
banded as (
    select
        a.system as system_a,
        b.system as system_b,
        a.propensity,
        case
            when a.fitted - b.fitted > {{ clear_difference() }} then 'a'
            when b.fitted - a.fitted > {{ clear_difference() }} then 'b'
        end as favours,
        a.n_trials as n_trials_a,
        b.n_trials as n_trials_b,
        a.n_passed as n_passed_a,
        b.n_passed as n_passed_b,
        a.n_trials * a.fitted as expected_a,
        b.n_trials * b.fitted as expected_b
    from band as a
    inner join band as b
        on
            a.propensity = b.propensity
            and a.lower_bound = b.lower_bound
            and a.upper_bound = b.upper_bound
            and a.system < b.system
),

side as (
    select
        system_a,
        system_b,
        propensity,
        favours,
        sum(n_trials_a) as n_trials_a,
        sum(n_trials_b) as n_trials_b,
        {{ to_double('sum(n_passed_a)') }} / sum(n_trials_a) as observed_a,
        {{ to_double('sum(n_passed_b)') }} / sum(n_trials_b) as observed_b,
        sum(expected_a) / sum(n_trials_a) as predicted_a,
        sum(expected_b) / sum(n_trials_b) as predicted_b
    from banded
    where favours is not null
    group by system_a, system_b, propensity, favours
),

final as (
    select
        pair.system_a,
        pair.system_b,
        pair.propensity,
        pair.name,
        capability.difference as capability_difference,
        capability.sd_difference as capability_sd,
        abs(capability.difference) <= greatest({{ to_double('0.1') }}, 1.96 * capability.sd_difference)
            as is_equal_capability,
        pair.estimate_a,
        pair.estimate_b,
        pair.is_flagged,
        cast(coalesce(for_a.n_trials_a, 0) as bigint) as n_trials_a_favoured,
        for_a.predicted_a as predicted_a_where_a_favoured,
        for_a.predicted_b as predicted_b_where_a_favoured,
        for_a.observed_a as observed_a_where_a_favoured,
        for_a.observed_b as observed_b_where_a_favoured,
        cast(coalesce(for_b.n_trials_b, 0) as bigint) as n_trials_b_favoured,
        for_b.predicted_a as predicted_a_where_b_favoured,
        for_b.predicted_b as predicted_b_where_b_favoured,
        for_b.observed_a as observed_a_where_b_favoured,
        for_b.observed_b as observed_b_where_b_favoured,
        case
            when for_a.favours is not null or for_b.favours is not null
                then
                    coalesce(for_a.observed_a > for_a.observed_b, true)
                    and coalesce(for_b.observed_b > for_b.observed_a, true)
        end as is_as_predicted
    from pair
    left join capability on pair.system_a = capability.system_a and pair.system_b = capability.system_b
    left join side as for_a
        on
            pair.system_a = for_a.system_a
            and pair.system_b = for_a.system_b
            and pair.propensity = for_a.propensity
            and for_a.favours = 'a'
    left join side as for_b
        on
            pair.system_a = for_b.system_a
            and pair.system_b = for_b.system_b
            and pair.propensity = for_b.propensity
            and for_b.favours = 'b'
)

select * from final
