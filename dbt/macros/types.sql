{# types and casts that engines spell differently; models use these, never an engine's own #}
{% macro type_double() -%}
    {{ return('double precision' if target.type == 'postgres' else 'double') }}
{%- endmacro %}

{% macro to_double(expression) -%}
    cast({{ expression }} as {{ type_double() }})
{%- endmacro %}

{# NULL where the text is no number; 'nan' and 'inf' are not numbers here #}
{% macro try_double(expression) -%}
    {{ return(adapter.dispatch('try_double')(expression)) }}
{%- endmacro %}

{% macro default__try_double(expression) -%}
    case when isfinite(try_cast({{ expression }} as double)) then try_cast({{ expression }} as double) end
{%- endmacro %}

{% macro postgres__try_double(expression) -%}
    case
        when {{ expression }} ~ '^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$' then cast({{ expression }} as double precision)
    end
{%- endmacro %}

{# NULL where the text is no ISO time #}
{% macro try_timestamp(expression) -%}
    {{ return(adapter.dispatch('try_timestamp')(expression)) }}
{%- endmacro %}

{% macro default__try_timestamp(expression) -%}
    try_cast({{ expression }} as timestamp)
{%- endmacro %}

{% macro postgres__try_timestamp(expression) -%}
    case
        when {{ expression }} ~ '^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$' then cast({{ expression }} as timestamp)
    end
{%- endmacro %}
