with member as (
    select * from {{ ref('stg_dimension_member') }}
),

known as (
    select * from {{ ref('seed_dimension') }}
),

final as (
    select
        coalesce(known.dimension, replace(member.dimension_key, '|', '_')) as dimension,
        member.dimension_key,
        member.capability,
        known.dimension is not null as is_known
    from member
    left join known on member.dimension_key = known.dimension_key
)

select * from final
