{# level_sum and n_raters stay what the raters said, whichever consensus is taken #}
{% set is_posterior = var('consensus') == 'posterior' %}
with rating as (
    select * from {{ ref('stg_rating') }}
),

battery as (
    select *
    from {{ ref('int_battery_item') }}
    where is_valid
),

retained as (
    select *
    from {{ ref('int_capability_retention') }}
    where is_retained
),

posterior as (
    select * from {{ source('model', 'rater_demand') }}
),

rated as (
    select
        rating.benchmark,
        rating.item,
        rating.capability,
        cast(sum(rating.level) as bigint) as level_sum,
        cast(count(*) as bigint) as n_raters
    from rating
    inner join retained on rating.capability = retained.capability
    inner join battery on rating.benchmark = battery.benchmark and rating.item = battery.item
    group by rating.benchmark, rating.item, rating.capability
),

final as (
    select
        rated.benchmark,
        rated.item,
        rated.capability,
        {% if is_posterior %}posterior.demand{% else %}{{ to_double('rated.level_sum') }} / rated.n_raters{% endif %} as consensus,
        {% if is_posterior %}posterior.demand_sd{% else %}cast(null as {{ type_double() }}){% endif %} as consensus_sd,
        rated.level_sum,
        rated.n_raters
    from rated
    left join posterior
        on
            rated.benchmark = posterior.benchmark
            and rated.item = posterior.item
            and rated.capability = posterior.capability
)

select * from final
