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
