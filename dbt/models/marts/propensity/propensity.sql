with counted as (
    select
        system,
        propensity,
        incitation,
        count(*) as n_responses,
        sum(case when status = 'unscored' then 1 else 0 end) as n_unscored
    from {{ ref('stg_propensity_response') }}
    where status <> 'rejected'
    group by system, propensity, incitation
),

final as (
    select
        counted.system,
        counted.propensity,
        named.name,
        counted.incitation,
        position.estimate,
        position.se,
        position.q025,
        position.q975,
        position.slope,
        cast(counted.n_responses as bigint) as n_responses,
        coalesce(position.n_items, 0) as n_items,
        cast(counted.n_unscored as bigint) as n_unscored,
        coalesce(position.n_uninformative, 0) as n_uninformative,
        coalesce(position.n_trials, 0) as n_trials,
        {{ to_double('position.n_passed') }} / nullif(position.n_trials, 0) as success_share,
        position.is_saturated,
        position.is_ambiguous,
        position.is_slope_at_bound,
        coalesce(position.n_items - position.n_uninformative, 0) < 20 as is_thin
    from counted
    inner join {{ ref('seed_propensity') }} as named on counted.propensity = named.propensity
    left join {{ ref('stg_propensity_position') }} as position
        on
            counted.system = position.system
            and counted.propensity = position.propensity
            and counted.incitation = position.incitation
)

select * from final
