with

patterns as (
    select * from {{ ref('seed_survey_question') }}
),

slots as (
    select
        cast(activity_code as bigint) as activity_code,
        activity
    from {{ ref('seed_activity') }}
    {% for code in [19, 20, 21] %}
    union all
    select
        cast({{ code }} as bigint) as activity_code,
        cast(null as {{ dbt.type_string() }}) as activity
    {% endfor %}
),

capabilities as (
    select
        cast(survey_code as bigint) as capability_code,
        capability
    from {{ ref('seed_capability') }}
),

asked_once as (
    select
        patterns.*,
        cast(null as bigint) as activity_code,
        cast(null as {{ dbt.type_string() }}) as activity,
        cast(null as bigint) as capability_code,
        cast(null as {{ dbt.type_string() }}) as capability
    from patterns
    where patterns.question not like '%{t}%'
),

asked_by_activity as (
    select
        patterns.*,
        slots.activity_code,
        slots.activity,
        cast(null as bigint) as capability_code,
        cast(null as {{ dbt.type_string() }}) as capability
    from patterns
    cross join slots
    where
        patterns.question like '%{t}%'
        and patterns.question not like '%{k}%'
        {# what the respondent's own activities need is not asked for here #}
        and (patterns.field <> 'pick' or slots.activity is not null)
),

asked_by_capability as (
    select
        patterns.*,
        slots.activity_code,
        slots.activity,
        capabilities.capability_code,
        capabilities.capability
    from patterns
    cross join slots
    cross join capabilities
    where
        patterns.question like '%{t}%'
        and patterns.question like '%{k}%'
        and slots.activity is not null
),

expanded as (
    select * from asked_once
    union all
    select * from asked_by_activity
    union all
    select * from asked_by_capability
),

final as (
    select
        replace(
            replace(question, '{t}', coalesce(cast(activity_code as {{ dbt.type_string() }}), '')),
            '{k}',
            coalesce(cast(capability_code as {{ dbt.type_string() }}), '')
        ) as question,
        field,
        kind,
        activity_code,
        activity,
        capability_code,
        capability,
        {{ to_double('low') }} as low,
        {{ to_double('high') }} as high,
        is_whole
    from expanded
)

select * from final
