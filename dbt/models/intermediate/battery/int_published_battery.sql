{% set agreement_columns = {
    'spearman_rho': 'spearman_rho',
    'weighted_kappa': 'weighted_kappa',
    'mean_absolute_error': 'mean_absolute_error',
    'within_one_percent': '100 * within_one_share',
} %}
{% set level_columns = [
    'coverage_percent', 'level_1_percent', 'level_2_percent', 'level_3_percent', 'level_4_percent', 'level_5_percent'
] %}
with agreement as (
    select * from {{ ref('int_rater_agreement') }}
    {# the paper's table is of two raters; with more there is no one figure to compare #}
    where (select count(distinct rater) from {{ ref('stg_rating') }}) = 2
),

battery_item as (
    select
        battery_item.item,
        battery_item.is_valid,
        coalesce(family.family, battery_item.benchmark) as family
    from {{ ref('int_battery_item') }} as battery_item
    left join {{ ref('seed_benchmark_family') }} as family on battery_item.benchmark = family.benchmark
),

agreement_items as (
    select max(n_items) as n_items
    from agreement
    having count(*) > 0
),

family as (
    select
        family,
        count(*) as n_items
    from battery_item
    group by family
    union all
    select
        'Total' as family,
        count(*) as n_items
    from battery_item
    having count(*) > 0
),

validity as (
    select
        sum(case when is_valid then 0 else 1 end) as n_items_dropped,
        sum(case when is_valid then 1 else 0 end) as n_items_valid
    from battery_item
    having count(*) > 0
),

demand_level as (
    select * from {{ ref('int_demand_level') }}
),

dimension as (
    select
        dimension,
        max(100 * coverage_share) as coverage_percent,
    {% for level in range(1, 6) %}
    max(case when level = {{ level }} then 100 * share_of_active end)
        as level_{{ level }}_percent{{ ',' if not loop.last }}
    {% endfor %}
    from demand_level
    group by dimension
),

cells as (
    {{ figures('agreement', 'Table A2', 'capability', agreement_columns) }}
    union all
    {{ figures('agreement_items', 'Table A2', "'all'", ['n_items']) }}
    union all
    {{ figures('family', 'Table 1', 'family', ['n_items']) }}
    union all
    {{ figures('validity', 'Section 3.1.2', "'battery'", ['n_items_dropped', 'n_items_valid']) }}
    union all
    {{ figures('dimension', 'Table 2', 'dimension', level_columns) }}
    union all
    {{ figures('dimension', 'Table 6', 'dimension', ['coverage_percent']) }}
),

final as (
    select
        'task-suitability-profiles' as paper,
        table_name,
        row_name,
        column_name,
        computed
    from cells
)

select * from final
