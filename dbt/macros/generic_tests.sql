{# the few generic tests the project needs; each returns the offending rows #}
{% test unique_combination(model, columns) %}
    select {{ columns | join(', ') }}, count(*) as n_rows
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1
{% endtest %}

{% test accepted_range(model, column_name, min_value=none, max_value=none) %}
    select {{ column_name }}
    from {{ model }}
    where false
        {% if min_value is not none %} or {{ column_name }} < {{ min_value }} {% endif %}
        {% if max_value is not none %} or {{ column_name }} > {{ max_value }} {% endif %}
{% endtest %}

{# NaN and infinity are never an answer; NULL may be #}
{% test is_finite(model, column_name) %}
    select {{ column_name }}
    from {{ model }}
    where {{ column_name }} is not null and not (abs({{ column_name }}) < 1e300)
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

{# one test for all columns of a model: a start of a test takes longer than the test #}
{% test never_null(model, columns) %}
    select *
    from {{ model }}
    where {% for column in columns %}{{ column }} is null{% if not loop.last %} or {% endif %}{% endfor %}
{% endtest %}
