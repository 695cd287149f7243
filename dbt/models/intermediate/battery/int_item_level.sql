with rating as (
    select
        benchmark,
        item,
        capability,
        {{ to_double('sum(level)') }} / count(*) as mean_level
    from {{ ref('stg_rating') }}
    where level is not null
    group by benchmark, item, capability
),

final as (
    select
        benchmark,
        item,
        capability,
        cast({{ half_to_even('mean_level') }} as bigint) as level
    from rating
)

select * from final
