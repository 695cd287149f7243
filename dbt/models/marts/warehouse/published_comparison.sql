{% set papers = ['task_suitability_profiles', 'propensities_2x2pl', 'centaurbench', 'open_economic_index'] %}
{% set slices = ['battery', 'work', 'capability', 'suitability', 'adoption'] %}

with

published as (
    {% for paper in papers %}
    select * from {{ ref('published_value_' ~ paper) }}
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
        computed.computed - published.published as difference,
        cast(published.digits as bigint) as digits,
        published.tolerance,
        published.unit,
        {{ published_status(
            'computed.computed', 'published.published', 'published.digits', 'published.tolerance', 'published.expected'
        ) }} as status,
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
