{# helpers of the adoption slice #}

{# text as it is compared: no blanks around it, one blank where several stand #}
{% macro squeeze(expression) -%}
    {{ return(adapter.dispatch('squeeze')(expression)) }}
{%- endmacro %}

{% macro duckdb__squeeze(expression) -%}
    trim(regexp_replace({{ expression }}, '\s+', ' ', 'g'))
{%- endmacro %}

{% macro postgres__squeeze(expression) -%}
    {{ duckdb__squeeze(expression) }}
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

{# the rank of a value among those of its partition; equal values share the mean of theirs #}
{% macro mean_rank(expression, partition) -%}
    (
        rank() over (partition by {{ partition }} order by {{ expression }})
        + ({{ to_double('count(*) over (partition by ' ~ partition ~ ', ' ~ expression ~ ')') }} - 1) / 2
    )
{%- endmacro %}

{# Codes of another vintage join most occupations and misplace the rest. Where a file doesn't say its taxonomy its codes
   do: the crosswalk of the same one knows 99.9 % of the occupations with tasks, that of O*NET-SOC 2019 knows 74 % of
   O*NET-SOC 2010's. #}
{% test one_taxonomy(model) %}
    with told as (
        select
            max(soc_taxonomy) as taxonomy,
            max(crosswalk_taxonomy) as crosswalk_taxonomy,
            count(*) as n_occupations,
            count(crosswalk_taxonomy) as n_in_crosswalk
        from {{ model }}
        where n_tasks > 0
    )

    select *
    from told
    where n_in_crosswalk > 0 and case
        when 'unknown' in (taxonomy, crosswalk_taxonomy) then n_in_crosswalk < 0.95 * n_occupations
        else taxonomy <> crosswalk_taxonomy
    end
{% endtest %}
