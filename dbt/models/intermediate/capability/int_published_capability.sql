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

figures as (
    {% for column, table in tables.items() %}
    select
        '{{ table }}' as table_name,
        dimension as row_name,
        column_name,
        {{ column }} as computed
    from by_dimension
    union all
    {% endfor %}
    {% for measure in measures %}
    select
        'Table 5' as table_name,
        '{{ measure }}' as row_name,
        intercept as column_name,
        {{ measure }} as computed
    from by_intercept
    {{ 'union all' if not loop.last }}
    {% endfor %}
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
