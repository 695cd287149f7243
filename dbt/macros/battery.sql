{# helpers of the battery slice #}

{# whole number nearest to x, halves to the even neighbour, as every engine computes it #}
{% macro half_to_even(x) -%}
    case
        when {{ x }} - floor({{ x }}) = 0.5 then 2 * floor((floor({{ x }}) + 1) / 2)
        else floor({{ x }} + 0.5)
    end
{%- endmacro %}

{# trimmed text; blank = NULL #}
{% macro blank_to_null(expression) -%}
    nullif(trim({{ expression }}), '')
{%- endmacro %}

{# NULL where the text is no ISO date #}
{% macro try_date(expression) -%}
    {{ return(adapter.dispatch('try_date')(expression)) }}
{%- endmacro %}

{% macro duckdb__try_date(expression) -%}
    case when regexp_matches({{ expression }}, '^\d{4}-\d\d-\d\d$') then try_cast({{ expression }} as date) end
{%- endmacro %}

{% macro spark__try_date(expression) -%}
    case when {{ expression }} rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then try_cast({{ expression }} as date) end
{%- endmacro %}

{# a cast of 30 February stops PostgreSQL: the day is held against the last of its month first #}
{% macro postgres__try_date(expression) -%}
    case
        when {{ expression }} ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$' then
            case
                when cast(substr({{ expression }}, 9, 2) as integer) <= extract(
                    day from cast(substr({{ expression }}, 1, 8) || '01' as date) + interval '1 month' - interval '1 day'
                )
                    then cast({{ expression }} as date)
            end
    end
{%- endmacro %}

{# one spelling for names of models that differ by case, separators, who serves the model and where (openai/x,
   us.anthropic.x), a name that moves (x-latest, x:free), a revision (x-v1:0) or a trailing date (x-2025-08-01,
   x-20250801, x@20250801) #}
{% macro undated_key(key) -%}
    {%- set plain = "lower(replace(replace(replace(" ~ key ~ ", '_', '-'), ' ', '-'), '@', '-'))" -%}
    {%- set parts = [
        '^([a-z0-9.:~-]+/)+',
        '^(us|eu|uk|ca|sa|me|af|ap|au|jp|apac|us-gov|global)[.]',
        '^(ai21|amazon|anthropic|cohere|deepseek|google|meta|microsoft|mistral|nvidia|openai|qwen|xai)[.]',
        '(-latest|:latest|:free|:beta|:extended|:nitro|:floor|:exacto)$',
        '-v[0-9]+:[0-9]+$',
        '-[0-9][0-9][0-9][0-9]-?[0-9][0-9]-?[0-9][0-9]$',
    ] -%}
    {%- set name = namespace(sql=plain) -%}
    {%- for part in parts -%}
        {%- set name.sql = "regexp_replace(" ~ name.sql ~ ", '" ~ part ~ "', '')" -%}
    {%- endfor -%}
    {{ name.sql }}
{%- endmacro %}

{# one spelling for names that differ by case and separators #}
{% macro plain_key(name) -%}
    lower(replace(replace(replace(replace({{ name }}, '-', ''), '_', ''), ' ', ''), '.', ''))
{%- endmacro %}

{# two system keys that look like one system; marts.likely_twin lists the pairs; the remedy is a row in seeds/seed_system_alias.csv #}
{% test no_twin_systems(model, column_name) %}
    with keyed as (
        select distinct
            {{ column_name }} as system,
            {{ undated_key(column_name) }} as undated
        from {{ model }}
    )

    select
        twin.system,
        nearest.system as nearest_known_name
    from keyed as twin
    inner join keyed as nearest
        on twin.undated = nearest.undated and twin.system > nearest.system
{% endtest %}

{# benchmarks whose result rows find too few items of the battery, with up to two sample ids that found none #}
{% test join_coverage_floor(model, at_least) %}
    select
        benchmark,
        system,
        avg(case when is_in_battery then {{ to_double("1") }} else 0 end) as join_coverage_share,
        min(case when not is_in_battery then item end) as unmatched_item,
        max(case when not is_in_battery then item end) as another_unmatched_item
    from {{ model }}
    -- without any ratings there is no battery to join: the slice is skipped, and slice_status says so
    where is_battery_rated
    group by benchmark, system
    having avg(case when is_in_battery then {{ to_double("1") }} else 0 end) < {{ at_least }}
{% endtest %}

{# pairs that are not `unlike`, of raters or systems that should be independent, unless somebody confirmed that they are #}
{% test no_near_copies(model, unlike, confirmed) %}
    select *
    from {{ model }}
    where not coalesce({{ unlike }}, true)
    {% for pair in confirmed %} and pair <> '{{ pair | replace("'", "''") }}' {% endfor %}
{% endtest %}

{# levels are added up as whole numbers and divided once: a demand of exactly one half stays exactly one half #}
{% macro dimension_demand(condition) %}
{% set is_mean = var('consensus') == 'mean' %}
{% set level = 'consensus.level_sum' if is_mean else 'consensus.consensus' %}
{% set n = 'consensus.n_raters' if is_mean else '1' %}
{% set active = 'sum(case when ' ~ level ~ ' > 0 then ' ~ n ~ ' else 0 end)' %}
{% set divisor = 'sum(' ~ n ~ ')' if var('composite') == 'mean' else active %}
    select
        consensus.benchmark,
        consensus.item,
        member.dimension,
        coalesce({{ to_double('sum(' ~ level ~ ')') }} / nullif({{ divisor }}, 0), 0) as demand
    from consensus
    inner join member on consensus.capability = member.capability
    where {{ condition }}
    group by consensus.benchmark, consensus.item, member.dimension
{% endmacro %}

{# what follows the last slash of a model's name, in small letters #}
{% macro last_part(name) -%}
    lower(regexp_replace({{ name }}, '^.*/', ''))
{%- endmacro %}
