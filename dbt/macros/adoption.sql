{# helpers of the adoption slice #}

{# text as it is compared: no blanks around it, one blank where several stand #}
{% macro squeeze(expression) -%}
    {{ return(adapter.dispatch('squeeze')(expression)) }}
{%- endmacro %}

{% macro default__squeeze(expression) -%}
    trim(regexp_replace({{ expression }}, '\s+', ' ', 'g'))
{%- endmacro %}

{% macro spark__squeeze(expression) -%}
    trim(regexp_replace({{ expression }}, '\\s+', ' '))
{%- endmacro %}

{# an id of digits as a number, to be ordered by #}
{% macro id_number(expression) -%}
    cast({{ expression }} as bigint)
{%- endmacro %}
