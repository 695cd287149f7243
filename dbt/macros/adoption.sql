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

{# Whether a cell on `n` chats may not be shown: it has too few, or it is the smallest shown beside too few that are not, and
   they would follow from the whole. `size` is what adds up to the whole (a lower bound of chats). #}
{% macro is_few_chats(n, size, min_chats, partition, order) -%}
    (
        {{ n }} > 0
        and (
            {{ n }} < {{ min_chats }}
            or (
                min(case when {{ n }} > 0 then {{ n }} end) over (partition by {{ partition }}) < {{ min_chats }}
                and coalesce(sum({{ size }}) over (
                    partition by {{ partition }}
                    order by {{ n }}, {{ order }}
                    rows between unbounded preceding and 1 preceding
                ), 0) < {{ min_chats }}
            )
        )
    )
{%- endmacro %}
