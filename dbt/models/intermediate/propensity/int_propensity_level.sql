with band as (
    select
        benchmark,
        item,
        propensity,
        is_ledger,
        -- NULL unless the rater answered
        (lower_bound + upper_bound) / 2 as level
    from {{ ref('stg_propensity_band') }}
    where reason is null
),

-- as for ratings, an item counts only with every model's answer
agreed as (
    select
        benchmark,
        item,
        propensity,
        is_ledger,
        avg(level) as level,
        cast(count(*) as bigint) as n_raters,
        row_number() over (
            partition by benchmark, item, propensity
            order by case when is_ledger then 1 else 0 end
        ) as place
    from band
    group by benchmark, item, propensity, is_ledger
    having count(level) = count(*)
),

final as (
    select
        benchmark,
        item,
        propensity,
        level,
        n_raters,
        is_ledger
    from agreed
    where place = 1
)

select * from final
