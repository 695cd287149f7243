{# helpers of the assistance slice #}

{# lines of files and of the ledger with the same `columns`; the ledger's have no faults but where `llm_faults`,
   and none of the numbers `only_files` #}
{% macro landed_tournament(table, llm_table, columns, llm_faults=false, only_files=[]) -%}
{%- set faults = ['fault_column', 'fault_value', 'fault'] %}
    select
        source_file,
        row_number,
        cast(null as {{ dbt.type_string() }}) as call_id,
        'answered' as status,
        {{ columns | join(',\n        ') }},
        {% for column in only_files %}{{ column }},
        {% endfor %}{{ faults | join(',\n        ') }}
    from {{ source('raw', table) }}
    union all
    select
        'ledger.sqlite' as source_file,
        call_number as row_number,
        call_id,
        status,
        {{ columns | join(',\n        ') }},
        {% for column in only_files %}{{ to_double('null') }} as {{ column }},
        {% endfor %}{% for fault in faults %}{{ '' if llm_faults else 'null as ' }}{{ fault }}{% if not loop.last %},
        {% endif %}{% endfor %}
    from {{ source('raw', llm_table) }}
{%- endmacro %}

{# what becomes of a line; `occurrence` counts the usable ones of its key #}
{% macro line_state() -%}
    case
            when status in ('failed', 'pending') then status
            when wrong_column is not null or occurrence > 1 then 'rejected'
            else 'accepted'
        end
{%- endmacro %}

{# competition rank of values with equal ones at their average place; smallest first. `order` may hold 'desc'.
   Values are compared to nine decimals, so that equal means stay equal however they were added up. #}
{% macro average_rank(partition, value, direction='') -%}
    rank() over (partition by {{ partition }} order by {{ nine_decimals(value) }} {{ direction }})
        + (count(*) over (partition by {{ partition }}, {{ nine_decimals(value) }}) - 1) / 2.0
{%- endmacro %}

{% macro nine_decimals(value) -%}
    cast({{ value }} as decimal(28, 9))
{%- endmacro %}

{# where a candidate's place by scaled ranks or by strength is another than its place by mean rank, strengths without
   an interval, and `more` texts (NULL = nothing) behind that; NULL = nothing to tell #}
{% macro order_warning(place, scaled, strength_place, strength, low, reason, more) -%}
    {%- set told = "place ' || cast(%s as " ~ dbt.type_string() ~ ")" -%}
    nullif(
            concat_ws(
                '; ',
                case when {{ scaled }} <> {{ place }} then 'by scaled ranks {{ told % scaled }} end,
                case when {{ strength_place }} <> {{ place }} then 'by Bradley-Terry {{ told % strength_place }} end,
                case
                    when {{ strength }} is not null and {{ low }} is null
                        then 'below three runs strengths have no interval'
                end,
                'no Bradley-Terry strength: ' || {{ reason }},
                {{ more | join(',\n                ') }}
            ),
            ''
        )
{%- endmacro %}

{# where not all can be compared; NULL where they can #}
{% macro apart(n_groups) -%}
    case
                    when {{ n_groups }} > 1
                        then 'ranked within one of ' || cast({{ n_groups }} as {{ dbt.type_string() }})
                            || ' groups that never met'
                end
{%- endmacro %}

{# '3 of 40 comparisons missing'; NULL where there are none #}
{% macro counted(n, of, what) -%}
    case
                    when {{ n }} > 0
                        then cast({{ n }} as {{ dbt.type_string() }}) || ' of '
                            || cast({{ of }} as {{ dbt.type_string() }}) || ' {{ what }}'
                end
{%- endmacro %}
