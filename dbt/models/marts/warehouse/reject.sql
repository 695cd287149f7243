{% set rejects = ['stg_rating_reject', 'stg_result_reject', 'stg_survey_reject', 'stg_interview_reject'] %}
{% set rejects = rejects + ['stg_tournament_reject'] %}
{% set rejects = rejects + ['stg_propensity_reject'] %}
{% set rejects = rejects + ['stg_onet_reject', 'stg_chat_reject', 'stg_index_reject'] %}
{% set rejects = rejects + ['stg_agentic_reject', 'int_scenario_reject'] %}

with

final as (
    {% for model in rejects %}
    select
        table_name,
        source_file,
        row_number,
        column_name,
        value,
        reason
    from {{ ref(model) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
)

select * from final
