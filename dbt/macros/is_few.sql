{# whether some people, but fewer than may be shown, gave an answer #}
{% macro is_few(n, min_respondents) -%}
({{ n }} > 0 and {{ n }} < {{ min_respondents }})
{%- endmacro %}
