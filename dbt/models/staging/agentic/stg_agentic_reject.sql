{% set tables = [
    ('tool_server', 'stg_tool_server'), ('scenario', 'stg_scenario'), ('trajectory', 'stg_trajectory'),
    ('trajectory_verdict', 'stg_trajectory_verdict'),
] %}

with

final as (
    {% for table, model in tables %}
    select
        '{{ table }}' as table_name,
        source_file,
        row_number,
        column_name,
        value,
        reason
    from {{ ref(model) }}
    where state = 'rejected'
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
)

select * from final
