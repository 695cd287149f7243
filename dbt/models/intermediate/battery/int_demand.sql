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
        {% if var('composite') == 'active_mean' -%}
        coalesce(
            sum(consensus.consensus) / nullif(sum(case when consensus.consensus > 0 then 1 else 0 end), 0), 0
        ) as demand
        {%- elif var('composite') == 'mean' -%}
        sum(consensus.consensus) / count(*) as demand
        {%- else -%}
        {{ exceptions.raise_compiler_error("var composite is '" ~ var('composite') ~ "'; it must be active_mean or mean") }}
        {%- endif %}
    from consensus
    inner join member on consensus.capability = member.capability
    group by consensus.benchmark, consensus.item, member.dimension
)

select * from final
