{% set slices = ['battery', 'work', 'capability', 'suitability'] %}

with

published as (
    {% for slice in slices %}
    select
        paper,
        table_name,
        row_name,
        column_name,
        {{ to_double('published') }} as published,
        {{ to_double('tolerance') }} as tolerance,
        cast(expected as {{ dbt.type_string() }}) as expected,
        cast(note as {{ dbt.type_string() }}) as note
    from {{ ref('published_value_' ~ slice) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

computed as (
    {% for slice in slices %}
    select
        paper,
        table_name,
        row_name,
        column_name,
        computed
    from {{ ref('int_published_' ~ slice) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

final as (
    select
        published.paper,
        published.table_name,
        published.row_name,
        published.column_name,
        published.published,
        computed.computed,
        published.tolerance,
        case
            when published.expected = 'not_in_release' then 'not_in_release'
            when computed.computed is null then 'no_data'
            when abs(computed.computed - published.published) <= published.tolerance + 1e-9 then 'match'
            else 'off'
        end as status,
        published.note
    from published
    left join computed
        on
            published.paper = computed.paper
            and published.table_name = computed.table_name
            and published.row_name = computed.row_name
            and published.column_name = computed.column_name
)

select * from final
