with demand as (
    select
        dimension,
        demand,
        {{ half_to_even('demand') }} as rounded
    from {{ ref('int_demand') }}
),

level as (
    {% for level in range(1, 6) %}
    select cast({{ level }} as bigint) as level
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

dimension as (
    select
        dimension,
        count(*) as n_items,
        sum(case when demand > 0 then 1 else 0 end) as n_demanded,
        sum(case when rounded > 0 then 1 else 0 end) as n_active
    from demand
    group by dimension
),

counted as (
    select
        dimension,
        rounded,
        count(*) as n_items
    from demand
    group by dimension, rounded
),

final as (
    select
        dimension.dimension,
        level.level,
        cast(coalesce(counted.n_items, 0) as bigint) as n_items,
        {{ to_double('coalesce(counted.n_items, 0)') }} / nullif(dimension.n_active, 0) as share_of_active,
        {{ to_double('dimension.n_demanded') }} / nullif(dimension.n_items, 0) as coverage_share
    from dimension
    cross join level
    left join counted on dimension.dimension = counted.dimension and level.level = counted.rounded
)

select * from final
