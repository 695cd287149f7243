with record as (
    select *
    from {{ ref('stg_ai_system_record') }}
    where system is not null and occurrence = 1
),

with_result as (
    select
        system,
        -- under one alias logs may differ; then nothing single is true
        case when count(distinct model) = 1 then min(model) end as model,
        case when count(distinct settings) = 1 then min(settings) end as settings,
        case when count(distinct scaffold) = 1 then min(scaffold) end as scaffold
    from {{ ref('stg_result') }}
    where status <> 'rejected'
    group by system
),

final as (
    select
        coalesce(record.system, with_result.system) as system,
        record.name,
        coalesce(record.model, with_result.model) as model,
        coalesce(record.settings, with_result.settings) as settings,
        coalesce(record.scaffold, with_result.scaffold) as scaffold,
        record.developer,
        record.family,
        record.released_on,
        coalesce(record.kind, 'ai') as kind,
        record.system is not null as is_described,
        with_result.system is not null as has_result
    from record
    full outer join with_result on record.system = with_result.system
)

select * from final
