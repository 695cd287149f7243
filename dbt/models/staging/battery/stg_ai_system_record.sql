with raw_system as (
    select * from {{ source('raw', 'ai_system') }}
),

alias as (
    select * from {{ ref('seed_system_alias') }}
),

named as (
    select
        raw_system.source_file,
        raw_system.row_number,
        raw_system.system as system_text,
        coalesce(alias.system, {{ blank_to_null('raw_system.system') }}) as system,
        {{ blank_to_null('raw_system.name') }} as name,
        {{ blank_to_null('raw_system.model') }} as model,
        {{ blank_to_null('raw_system.settings') }} as settings,
        {{ blank_to_null('raw_system.scaffold') }} as scaffold,
        {{ blank_to_null('raw_system.developer') }} as developer,
        {{ blank_to_null('raw_system.family') }} as family,
        {{ blank_to_null('raw_system.released_on') }} as released_on_text,
        {{ blank_to_null('raw_system.kind') }} as kind_text,
        case when alias.system is null then 0 else 1 end as is_alias
    from raw_system
    left join alias on trim(raw_system.system) = alias.alias
),

final as (
    select
        source_file,
        row_number,
        system_text,
        system,
        name,
        model,
        settings,
        scaffold,
        developer,
        family,
        released_on_text,
        {{ try_date('released_on_text') }} as released_on,
        kind_text,
        case when lower(kind_text) = 'human' then 'human' else 'ai' end as kind,
        row_number() over (partition by system order by is_alias, source_file, row_number) as occurrence
    from named
)

select * from final
