with draws as (
    select * from {{ ref('stg_capability_draw') }}
),

final as (
    select
        draws.system,
        draws.dimension as dimension_a,
        others.dimension as dimension_b,
        corr(draws.value, others.value) as r
    from draws
    inner join draws as others
        on
            draws.system = others.system
            and draws.chain = others.chain
            and draws.draw = others.draw
            and draws.dimension <> others.dimension
    group by draws.system, draws.dimension, others.dimension
)

select * from final
