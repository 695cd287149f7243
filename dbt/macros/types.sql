{# Types and casts that engines spell differently; models use these, never an engine's own. None has a default: on an engine
   that is not here, dbt stops at the macro instead of sending DuckDB's SQL. #}
{% macro type_double() -%}
    {{ return(var('type_double')[target.type]) }}
{%- endmacro %}

{% macro to_double(expression) -%}
    cast({{ expression }} as {{ type_double() }})
{%- endmacro %}

{# NULL where the text is no number; 'nan', 'inf' and '4_1' are not numbers here #}
{% macro try_double(expression) -%}
    {{ return(adapter.dispatch('try_double')(expression)) }}
{%- endmacro %}

{# DuckDB reads past an underscore between digits: as a letter it makes no number #}
{% macro duckdb__try_double(expression) -%}
    {% set plain = "try_cast(replace(" ~ expression ~ ", '_', 'x') as double)" -%}
    case when isfinite({{ plain }}) then {{ plain }} end
{%- endmacro %}

{% macro postgres__try_double(expression) -%}
    case
        when {{ expression }} ~ '^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$' then cast({{ expression }} as double precision)
    end
{%- endmacro %}

{# as try_double, of text whose commas part thousands; a comma in any other place makes no number #}
{% macro try_grouped_double(expression) -%}
    {{ return(adapter.dispatch('try_grouped_double')(expression)) }}
{%- endmacro %}

{% macro duckdb__try_grouped_double(expression) -%}
    case
        when regexp_full_match({{ expression }}, '\s*[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?\s*')
            then {{ try_double("replace(" ~ expression ~ ", ',', '')") }}
    end
{%- endmacro %}

{% macro postgres__try_grouped_double(expression) -%}
    case
        when {{ expression }} ~ '^\s*[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?\s*$'
            then {{ try_double("replace(" ~ expression ~ ", ',', '')") }}
    end
{%- endmacro %}

{# NULL where the text is no ISO time; nothing behind it is left out: 'EST' or 'PM' is not the time without it #}
{% macro try_timestamp(expression) -%}
    {{ return(adapter.dispatch('try_timestamp')(expression)) }}
{%- endmacro %}

{% macro duckdb__try_timestamp(expression) -%}
    case
        when regexp_matches({{ expression }}, '^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$')
            then try_cast({{ expression }} as timestamp)
    end
{%- endmacro %}

{% macro spark__try_timestamp(expression) -%}
    case
        when {{ expression }} rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?$'
            then try_cast({{ expression }} as timestamp)
    end
{%- endmacro %}

{% macro postgres__try_timestamp(expression) -%}
    case
        when {{ expression }} ~ '^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$' then cast({{ expression }} as timestamp)
    end
{%- endmacro %}
