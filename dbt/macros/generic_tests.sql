{# the few generic tests the project needs; each returns the offending rows #}
{% test unique_combination(model, columns) %}
    select {{ columns | join(', ') }}, count(*) as n_rows
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1
{% endtest %}

{# A number that is NaN or infinite is never an answer, NULL may be; `ranges` has {column: [least or null, most or null]}.
   An interval of an estimate has a width, whatever its n: `intervals` has [low, high], `certain` says which rows estimate nothing.
   One test for all columns of a model: a start of a test takes longer than the test. #}
{% test sound_numbers(model, ranges={}, intervals=[], certain='false') %}
    {% set faults = {} %}
    {% if execute %}
        {% for column in adapter.get_columns_in_relation(model) if column.is_float() %}
            {% do faults.update({column.quoted: ["not (abs(" ~ column.quoted ~ ") < 1e300)"]}) %}
        {% endfor %}
    {% endif %}
    {% for column, (least, most) in ranges.items() %}
        {% set outside = faults.setdefault(adapter.quote(column), []) %}
        {% if least is not none %} {% do outside.append(adapter.quote(column) ~ " < " ~ least) %} {% endif %}
        {% if most is not none %} {% do outside.append(adapter.quote(column) ~ " > " ~ most) %} {% endif %}
    {% endfor %}
    {% for low, high in intervals %}
        {% set width = "not (" ~ certain ~ ") and " ~ adapter.quote(low) ~ " >= " ~ adapter.quote(high) %}
        {% do faults.setdefault(adapter.quote(low), []).append("(" ~ width ~ ")") %}
    {% endfor %}
    select
        concat_ws(
            ', ', null
            {% for column, conditions in faults.items() %}
            , case when {{ conditions | join(' or ') }} then '{{ column | replace('"', '') }}' end
            {% endfor %}
        ) as unsound,
        *
    from {{ model }}
    where false {% for conditions in faults.values() %} or {{ conditions | join(' or ') }} {% endfor %}
{% endtest %}

{# A slice whose inputs are there, but of whose rows too few can be used: publishing it would put empty marts over good ones.
   Where that is meant, SUITABILITY_ALLOW_EMPTY names the slice. #}
{% test no_slice_emptied(model, allowed) %}
    select
        slice,
        reason
    from {{ model }}
    where status = 'empty' {% for slice in allowed %} and slice <> '{{ slice }}' {% endfor %}
{% endtest %}

{% test row_count_floor(model, at_least) %}
    select count(*) as n_rows
    from {{ model }}
    having count(*) < {{ at_least }}
{% endtest %}

{% test expression_is_true(model, expression) %}
    select *
    from {{ model }}
    where not coalesce(({{ expression }}), false)
{% endtest %}

{# one test for all columns of a model, as above #}
{% test never_null(model, columns) %}
    select *
    from {{ model }}
    where {% for column in columns %}{{ column }} is null{% if not loop.last %} or {% endif %}{% endfor %}
{% endtest %}
