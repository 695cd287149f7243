{% set paper = "'task-suitability-profiles'" %}
{% set agreement_columns = {
    'spearman_rho': 'spearman_rho',
    'weighted_kappa': 'weighted_kappa',
    'mean_absolute_error': 'mean_absolute_error',
    'within_one_percent': '100 * within_one_share',
} %}
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

demand_level as (
    select * from {{ ref('int_demand_level') }}
),

final as (
    {% for column, expression in agreement_columns.items() %}
    select
        {{ paper }} as paper,
        'Table A2' as table_name,
        capability as row_name,
        '{{ column }}' as column_name,
        {{ to_double(expression) }} as computed
    from agreement
    union all
    {% endfor %}
    select
        {{ paper }} as paper,
        'Table A2' as table_name,
        'all' as row_name,
        'n_items' as column_name,
        {{ to_double('max(n_items)') }} as computed
    from agreement
    having count(*) > 0
    union all
    select
        {{ paper }} as paper,
        'Table 1' as table_name,
        family as row_name,
        'n_items' as column_name,
        {{ to_double('count(*)') }} as computed
    from battery_item
    group by family
    union all
    select
        {{ paper }} as paper,
        'Table 1' as table_name,
        'Total' as row_name,
        'n_items' as column_name,
        {{ to_double('count(*)') }} as computed
    from battery_item
    having count(*) > 0
    union all
    select
        {{ paper }} as paper,
        'Section 3.1.2' as table_name,
        'battery' as row_name,
        'n_items_dropped' as column_name,
        {{ to_double('sum(case when is_valid then 0 else 1 end)') }} as computed
    from battery_item
    having count(*) > 0
    union all
    select
        {{ paper }} as paper,
        'Section 3.1.2' as table_name,
        'battery' as row_name,
        'n_items_valid' as column_name,
        {{ to_double('sum(case when is_valid then 1 else 0 end)') }} as computed
    from battery_item
    having count(*) > 0
    union all
    select
        {{ paper }} as paper,
        'Table 2' as table_name,
        dimension as row_name,
        'coverage_percent' as column_name,
        100 * coverage_share as computed
    from demand_level
    where level = 1
    {% for level in range(1, 6) %}
    union all
    select
        {{ paper }} as paper,
        'Table 2' as table_name,
        dimension as row_name,
        'level_{{ level }}_percent' as column_name,
        100 * share_of_active as computed
    from demand_level
    where level = {{ level }}
    {% endfor %}
)

select * from final
