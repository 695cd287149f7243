{% set measures = [
    'shape_r', 'level_r', 'effective_dimensions', 'mean_abs_correlation', 'worst_contraction', 'suitability_rho',
    'suitability_pairwise_accuracy'
] %}
{% set tables = {'r': 'Table 4', 'contraction': 'Table C2', 'mae': 'Table C3'} %}
{% set taus = {'tau_0': 0, 'tau_0.25': 0.25, 'tau_0.5': 0.5, 'tau_1': 1, 'tau_2': 2} %}
with

by_dimension as (
    select
        case tau
            {% for name, tau in taus.items() %} when {{ tau }} then '{{ name }}'
            {% endfor %}
        end as column_name,
        dimension,
        avg(r) as r,
        avg(contraction) as contraction,
        avg(mae) as mae
    from {{ ref('stg_recovery_dimension') }}
    {# the printed tables match fits of each agent with an intercept of its own #}
    where intercept = 'free'
    group by tau, dimension
),

by_intercept as (
    select
        intercept,
    {% for measure in measures %}
    avg({{ measure }}) as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
    from {{ ref('stg_recovery_summary') }}
    where tau = 1
    group by intercept
),

over_dimensions as (
    select
        column_name,
        avg(r) as mean_r,
        min(r) as worst_r,
        avg(contraction) as mean_contraction,
        min(contraction) as worst_contraction,
        avg(mae) as mean_mae,
        max(mae) as worst_mae
    from by_dimension
    group by column_name
),

published as (
    select * from {{ ref('published_capability') }}
),

published_system as (
    select
        system,
        {{ exact_avg('mean') }} as mean_log,
        {{ exact_avg('sd') }} as mean_sd_log
    from published
    group by system
),

published_dimension as (
    select
        dimension,
        {{ exact_avg('mean') }} as mean_log,
        {{ exact_avg('sd') }} as sd_log
    from published
    group by dimension
),

figures as (
    {% for measure, table in tables.items() %}
    select
        '{{ table }}' as table_name,
        dimension as row_name,
        column_name,
        {{ measure }} as computed
    from by_dimension
    union all
    {% for summary, row in {'mean': 'Mean', 'worst': 'Worst dimension'}.items() %}
    select
        '{{ table }}' as table_name,
        '{{ row }}' as row_name,
        column_name,
        {{ summary }}_{{ measure }} as computed
    from over_dimensions
    union all
    {% endfor %}
    {% endfor %}
    {% for measure in measures %}
    select
        'Table 5' as table_name,
        '{{ measure }}' as row_name,
        intercept as column_name,
        {{ measure }} as computed
    from by_intercept
    union all
    {% endfor %}
    {{ figures('published_system', 'Table C5', 'system', ['mean_log', 'mean_sd_log']) }}
    union all
    {{ figures('published_dimension', 'Table 6', 'dimension', ['mean_log', 'sd_log']) }}
    union all
    select
        'Table C6' as table_name,
        'Mean' as row_name,
        dimension || ' mean' as column_name,
        mean_log as computed
    from published_dimension
),

final as (
    select
        'task-suitability-profiles' as paper,
        table_name,
        row_name,
        column_name,
        {{ to_double('computed') }} as computed
    from figures
    where computed is not null
)

select * from final
