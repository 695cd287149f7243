{# level_sum and n_raters stay what the raters said, whichever consensus is taken #}
{% set rater_demand = ref('stg_rater_demand') %}
with rating as (
    select * from {{ ref('stg_rating') }}
),

battery as (
    select *
    from {{ ref('int_battery_item') }}
    where is_rated_by_all
),

retained as (
    select *
    from {{ ref('int_capability_retention') }}
    where is_retained
),

rated as (
    select
        rating.benchmark,
        rating.item,
        rating.capability,
        battery.is_excluded,
        cast(sum(rating.level) as bigint) as level_sum,
        cast(count(*) as bigint) as n_raters,
        cast(max(rating.level) - min(rating.level) as bigint) as rater_range,
        sqrt(
            {{ to_double('count(*) * sum(rating.level * rating.level) - sum(rating.level) * sum(rating.level)') }}
            / nullif(count(*) * (count(*) - 1), 0)
        ) as rater_sd
    from rating
    inner join retained on rating.capability = retained.capability
    inner join battery on rating.benchmark = battery.benchmark and rating.item = battery.item
    group by rating.benchmark, rating.item, rating.capability, battery.is_excluded
),

{% if var('consensus') == 'posterior' %}
final as (
    select
        rated.benchmark,
        rated.item,
        rated.capability,
        rated.is_excluded,
        posterior.demand as consensus,
        posterior.demand_sd as consensus_sd,
        rated.level_sum,
        rated.n_raters,
        rated.rater_range,
        rated.rater_sd
    from rated
    left join {{ rater_demand }} as posterior
        on
            rated.benchmark = posterior.benchmark
            and rated.item = posterior.item
            and rated.capability = posterior.capability
)
{% else %}
final as (
    select
        benchmark,
        item,
        capability,
        is_excluded,
        {{ to_double('level_sum') }} / n_raters as consensus,
        cast(null as {{ type_double() }}) as consensus_sd,
        level_sum,
        n_raters,
        rater_range,
        rater_sd
    from rated
)
{% endif %}

select * from final
