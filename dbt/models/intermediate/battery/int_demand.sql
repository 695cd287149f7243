{# levels are added up as whole numbers and divided once: a demand of exactly one half stays exactly one half #}
{% set active = 'sum(case when consensus.level_sum > 0 then consensus.n_raters else 0 end)' %}
{% set divisor = 'sum(consensus.n_raters)' if var('composite') == 'mean' else active %}
with consensus as (
    select * from {{ ref('int_consensus') }}
),

member as (
    select * from {{ ref('int_dimension_member') }}
),

final as (
    select
        consensus.benchmark,
        consensus.item,
        member.dimension,
        coalesce({{ to_double('sum(consensus.level_sum)') }} / nullif({{ divisor }}, 0), 0) as demand
    from consensus
    inner join member on consensus.capability = member.capability
    group by consensus.benchmark, consensus.item, member.dimension
)

select * from final
