with record as (
    select *
    from {{ ref('stg_ai_system_record') }}
    where system is not null and occurrence = 1
),

with_result as (
    select distinct system
    from {{ ref('stg_result') }}
    where status <> 'rejected'
),

final as (
    select
        coalesce(record.system, with_result.system) as system,
        record.name,
        record.model,
        record.settings,
        record.scaffold,
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
