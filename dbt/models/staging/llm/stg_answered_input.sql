{% set tables = {
    'propensity_items': 'propensity_llm_item',
    'propensity_responses': 'propensity_llm_response',
    'judgements': 'tournament_llm_verdict',
} %}

with final as (
    {% for input, table in tables.items() %}
    select distinct '{{ input }}' as input
    from {{ source('raw', table) }}
    where status = 'answered'
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
)

select * from final
