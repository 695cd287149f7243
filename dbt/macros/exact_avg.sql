{# Sums and means that don't depend on the order of rows: doubles are summed as decimals. Respondents' hashes differ from
   one home to another, and with them the order of rows; marts must not. For values under 1e12, kept to 15 decimals. #}
{% macro exact_sum(expression, times=none) -%}
    {{ to_double(
        'sum(cast(' ~ expression ~ ' as decimal(38, 15))' ~ (' * ' ~ times if times is not none else '') ~ ')'
    ) }}
{%- endmacro %}

{% macro exact_avg(expression) -%}
    {{ exact_sum(expression) }} / nullif(count({{ expression }}), 0)
{%- endmacro %}
