with annotation as (
    select *
    from {{ ref('stg_annotation') }}
    where level is not null
),

final as (
    select
        chosen.rater as rater_a,
        compared.rater as rater_b,
        chosen.capability,
        chosen.level as level_a,
        compared.level as level_b,
        cast(count(*) as bigint) as n_items
    from annotation as chosen
    inner join annotation as compared
        on
            chosen.rater = compared.rater
            and chosen.benchmark = compared.benchmark
            and chosen.item = compared.item
            and chosen.capability = compared.capability
    where not chosen.is_comparison and compared.is_comparison
    group by chosen.rater, compared.rater, chosen.capability, chosen.level, compared.level
)

select * from final
