{# helpers of the agentic slice #}

{# why a line is not used: `faults` are pairs of a condition and (column, value, reason), the first that holds counts #}
{% macro first_fault(faults, part) -%}
    case
        {%- for condition, told in faults %}
            when {{ condition }} then {{ told[part] }}
        {%- endfor %}
        end
{%- endmacro %}

{# runs of one system in one scenario #}
{% macro run_key(prefix='') -%}
    {{ prefix }}scenario, {{ prefix }}system, {{ prefix }}mode, {{ prefix }}run
{%- endmacro %}

{# equality of runs of two relations #}
{% macro same_run(a, b) -%}
    {{ a }}.scenario = {{ b }}.scenario
            and {{ a }}.system = {{ b }}.system
            and {{ a }}.mode = {{ b }}.mode
            and {{ a }}.run = {{ b }}.run
{%- endmacro %}

{# the lines of a raw table with what is wrong with them; of lines with one key, the first that can be read counts #}
{% macro first_lines(table, key, columns) -%}
with

numbered as (
    select
        *,
        row_number() over (
            partition by {{ key }}, case when fault is null then 0 else 1 end
            order by source_file, row_number
        ) as occurrence
    from {{ source('raw', table) }}
),

{% set faults = [
    ('fault is not null', {'column': 'fault_column', 'value': 'fault_value', 'reason': 'fault'}),
    ('occurrence > 1', {
        'column': "'" ~ key ~ "'", 'value': key, 'reason': "'duplicate: the first line of the " ~ key ~ " counts'"
    }),
] %}
final as (
    select
        source_file,
        row_number,
        {{ key }},
        {% for column in columns -%}
        {{ column }},
        {% endfor -%}
        case when fault is not null or occurrence > 1 then 'rejected' else 'accepted' end as state,
        {{ first_fault(faults, 'column') }} as column_name,
        {{ first_fault(faults, 'value') }} as value,
        {{ first_fault(faults, 'reason') }} as reason
    from numbered
)

select * from final
{%- endmacro %}
