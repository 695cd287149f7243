with capability as (
    select * from {{ ref('seed_capability') }}
),

retention as (
    select * from {{ ref('int_capability_retention') }}
),

member as (
    select * from {{ ref('int_dimension_member') }}
),

final as (
    select
        capability.capability,
        capability.name,
        capability.family,
        capability.definition,
        member.dimension,
        retention.is_retained
    from capability
    inner join retention on capability.capability = retention.capability
    left join member on capability.capability = member.capability
)

select * from final
