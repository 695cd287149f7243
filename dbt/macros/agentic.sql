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
