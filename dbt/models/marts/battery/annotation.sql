{% set statuses = ['rated', 'blank', 'unparsed', 'refused', 'failed', 'pending'] %}
with rating as (
    select
        rater,
        capability,
        status
    from {{ ref('stg_rating') }}
    where source_file not like 'llm:%'
),

supplied as (
    select
        rater,
        capability,
        'supplied' as source,
        cast(null as {{ dbt.type_string() }}) as model,
        cast(null as {{ dbt.type_string() }}) as mode,
        cast(null as {{ dbt.type_string() }}) as rubric_version,
        cast(null as {{ dbt.type_string() }}) as prompt_version,
        status,
        true as is_used
    from rating
),

answered as (
    select
        rater,
        capability,
        'llm' as source,
        model,
        mode,
        rubric_version,
        prompt_version,
        case when status = 'answered' then 'rated' else status end as status,
        is_used
    from {{ ref('stg_annotation') }}
    where not is_comparison
),

cell as (
    select * from supplied
    union all
    select * from answered
),

counted as (
    select
        rater,
        capability,
        source,
        model,
        mode,
        rubric_version,
        prompt_version,
        is_used,
        {% for status in statuses %}
        cast(sum(case when status = '{{ status }}' then 1 else 0 end) as bigint) as n_{{ status }},
        {% endfor %}
        cast(count(*) as bigint) as n_cells
    from cell
    group by rater, capability, source, model, mode, rubric_version, prompt_version, is_used
),

replied as (
    select *
    from {{ ref('int_answered_model') }}
    where role = 'rater'
),

final as (
    select
        counted.*,
        replied.answered_model,
        coalesce(replied.n_answered_models, 0) as n_answered_models
    from counted
    left join replied
        on counted.source = 'llm' and counted.rater = replied.name and counted.model = replied.model
)

select * from final
