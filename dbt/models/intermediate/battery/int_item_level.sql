with rating as (
    select
        benchmark,
        item,
        capability,
        level
    from {{ ref('stg_rating') }}
    where source_file not like 'llm:%' and level is not null
    union all
    select
        benchmark,
        item,
        capability,
        level
    from {{ ref('stg_annotation') }}
    where not is_comparison and level is not null
),

mean as (
    select
        benchmark,
        item,
        capability,
        {{ to_double('sum(level)') }} / count(*) as mean_level
    from rating
    group by benchmark, item, capability
),

final as (
    select
        benchmark,
        item,
        capability,
        cast({{ half_to_even('mean_level') }} as bigint) as level
    from mean
)

select * from final
