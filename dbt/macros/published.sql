{# Figures of one relation in the long form of the seeds published_value_*: one select per column.
   `row_name` is an expression; `columns` a list of columns, or a mapping of printed names to expressions. #}
{% macro figures(relation, table_name, row_name, columns) -%}
    {% for column in columns %}
    select
        '{{ table_name }}' as table_name,
        {{ row_name }} as row_name,
        '{{ column }}' as column_name,
        {{ to_double(columns[column] if columns is mapping else column) }} as computed
    from {{ relation }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{# The verdict on a computed figure. 'match' = within half a unit of the last printed digit, so that .125 matches a printed
   .12 as well as .13: papers round halves either way. The slack is for the binary form of decimals. #}
{% macro published_status(computed, published, digits, tolerance, expected) -%}
    case
        when {{ expected }} = 'not_in_release' then 'not_in_release'
        when {{ computed }} is null then 'no_data'
        when abs({{ computed }} - {{ published }}) <= 0.5 * power(10, -{{ digits }}) + 1e-9 then 'match'
        when abs({{ computed }} - {{ published }}) <= {{ tolerance }} + 1e-9 then 'close'
        else 'off'
    end
{%- endmacro %}
