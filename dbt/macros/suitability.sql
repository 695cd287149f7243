{# helpers of the suitability slice: keys of many columns, spelt once a model #}

{# one.a, one.b #}
{% macro keys_of(alias, keys) -%}
    {{ alias }}.{{ keys | join(', ' ~ alias ~ '.') }}
{%- endmacro %}

{# one.a = other.a and one.b = other.b #}
{% macro same_keys(one, other, keys) -%}
    {%- for key in keys -%}
        {{ one }}.{{ key }} = {{ other }}.{{ key }}
        {%- if not loop.last %} and {% endif -%}
    {%- endfor -%}
{%- endmacro %}

{# columns of `alias`, NULL where the cell is on too few people to be shown #}
{% macro unsuppressed(cell, alias, columns) -%}
    {%- for column in columns -%}
        case when not {{ cell }}.is_suppressed then {{ alias }}.{{ column }} end as {{ column }}
        {%- if not loop.last %}, {% endif -%}
    {%- endfor -%}
{%- endmacro %}
