with cell as (
    select
        *,
        cast(floor((lower_bound + upper_bound) / 2 + 0.5) as bigint) as middle,
        cast(ceiling(upper_bound - lower_bound) as bigint) as width
    from {{ ref('stg_propensity_band_fit') }}
),

final as (
    select
        system,
        propensity,
        incitation,
        middle,
        width,
        cast(sum(n_trials) as bigint) as n_items,
        cast(sum(n_passed) as bigint) as n_passed,
        {{ to_double('sum(n_passed)') }} / sum(n_trials) as observed_share,
        sum(n_trials * fitted) / sum(case when fitted is not null then n_trials end) as fitted_share
    from cell
    group by system, propensity, incitation, middle, width
)

select * from final
