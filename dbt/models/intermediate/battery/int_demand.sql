{# levels are added up as whole numbers and divided once: a demand of exactly one half stays exactly one half #}
{% set is_mean = var('consensus') == 'mean' %}
{% set level = 'consensus.level_sum' if is_mean else 'consensus.consensus' %}
{% set n = 'consensus.n_raters' if is_mean else '1' %}
{% set active = 'sum(case when ' ~ level ~ ' > 0 then ' ~ n ~ ' else 0 end)' %}
{% set divisor = 'sum(' ~ n ~ ')' if var('composite') == 'mean' else active %}
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
        coalesce({{ to_double('sum(' ~ level ~ ')') }} / nullif({{ divisor }}, 0), 0) as demand
    from consensus
    inner join member on consensus.capability = member.capability
    group by consensus.benchmark, consensus.item, member.dimension
)

select * from final
