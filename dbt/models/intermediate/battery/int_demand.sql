with consensus as (
    select * from {{ ref('int_consensus') }}
),

member as (
    select * from {{ ref('int_dimension_member') }}
),

final as (
    {{ dimension_demand('not consensus.is_excluded') }}
)

select * from final
