with position as (
    select
        system,
        propensity,
        estimate,
        is_saturated,
        is_ambiguous,
        incitation = 'none' as is_unprompted,
        {{ try_double('incitation') }} as level
    from {{ ref('propensity') }}
),

centred as (
    select
        *,
        level - avg(case when estimate is not null then level end) over (partition by system, propensity) as x,
        estimate - avg(case when not is_unprompted then estimate end) over (partition by system, propensity) as y
    from position
),

summed as (
    select
        system,
        propensity,
        max(case when is_unprompted then estimate end) as unprompted_estimate,
        count(case when not is_unprompted then estimate end) as n_levels,
        sum(case when not is_unprompted and estimate is not null and is_saturated then 1 else 0 end) as n_saturated,
        sum(case when not is_unprompted and estimate is not null and is_ambiguous then 1 else 0 end) as n_ambiguous,
        sum(case when is_unprompted and estimate is not null and is_saturated then 1 else 0 end) as n_own_saturated,
        sum(case when is_unprompted and estimate is not null and is_ambiguous then 1 else 0 end) as n_own_ambiguous,
        sum(case when not is_unprompted then x * y end) as sxy,
        sum(case when not is_unprompted and estimate is not null then x * x end) as sxx,
        sum(case when not is_unprompted then y * y end) as syy
    from centred
    group by system, propensity
),

final as (
    select
        system,
        propensity,
        case when n_levels >= 3 then sxy / nullif(sqrt(sxx * syy), 0) end as pearson_r,
        case when n_levels >= 3 then sxy / nullif(sxx, 0) end as gain,
        unprompted_estimate,
        cast(n_levels as bigint) as n_levels,
        cast(n_saturated as bigint) as n_saturated,
        cast(n_ambiguous as bigint) as n_ambiguous,
        case when unprompted_estimate is not null then n_own_saturated > 0 end as is_unprompted_saturated,
        case when unprompted_estimate is not null then n_own_ambiguous > 0 end as is_unprompted_ambiguous,
        n_levels = 7 and unprompted_estimate is not null
        and n_saturated + n_ambiguous + n_own_saturated + n_own_ambiguous = 0 as is_complete
    from summed
)

select * from final
