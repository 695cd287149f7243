{# Lines of propensity items and responses as they came: those of files, and those that language models wrote or chose. #}

{% macro landed_propensity_items() %}
{%- set columns = 'source_file, row_number, item, propensity, benchmark, option_a, option_b, option_c, correct, lower_bound, upper_bound' %}
    select {{ columns }}
    from {{ source('raw', 'propensity_item') }}
    union all
    select {{ columns }}
    from {{ source('raw', 'propensity_llm_item') }}
    where status = 'answered'
{%- endmacro %}

{# narrower than the model can tell positions on (MIN_WIDTH of two_by_two.py); 0.3 - 0.2 is a tenth too #}
{% macro is_narrow_band(lower_bound, upper_bound) -%}
    {{ upper_bound }} - {{ lower_bound }} <= {{ to_double('0.099999999') }}
{%- endmacro %}

{# probabilities of success that differ by more than this favour one of two systems #}
{% macro clear_difference() -%}
    {{ to_double('0.1') }}
{%- endmacro %}

{# an answer of a model that can't be read or was refused is a line without an option #}
{% macro landed_propensity_responses() %}
{%- set columns = 'source_file, row_number, system, item, propensity, incitation, chosen, is_correct' %}
    select {{ columns }}
    from {{ source('raw', 'propensity_response') }}
    union all
    select {{ columns }}
    from {{ source('raw', 'propensity_llm_response') }}
    where status <> 'pending'
{%- endmacro %}
