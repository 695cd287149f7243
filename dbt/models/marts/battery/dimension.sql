with member as (
    select
        dimension,
        dimension_key,
        cast(count(*) as bigint) as n_capabilities
    from {{ ref('int_dimension_member') }}
    group by dimension, dimension_key
),

known as (
    select * from {{ ref('seed_dimension') }}
),

capability as (
    select * from {{ ref('seed_capability') }}
),

final as (
    select
        member.dimension,
        coalesce(known.name, capability.name, replace(member.dimension_key, '|', ', ')) as name,
        coalesce(known.definition, capability.definition) as definition,
        member.n_capabilities,
        replace(member.dimension_key, '|', ', ') as constituents
    from member
    left join known on member.dimension_key = known.dimension_key
    left join capability on member.dimension_key = capability.capability
)

select * from final
