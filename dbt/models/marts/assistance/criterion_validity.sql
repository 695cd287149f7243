with candidates as (
    select * from {{ ref('stg_candidate') }}
    where gradient is not null and family is not null
),

compared as (
    select
        comparison.judge,
        a.family,
        case
            when comparison.outcome = 'tie' then 0
            when (comparison.outcome = 'a') = (a.gradient > b.gradient) then 1
            else 0
        end as is_recovered
    from {{ ref('int_tournament_comparison') }} as comparison
    inner join candidates as a on comparison.candidate_a = a.candidate
    inner join candidates as b on comparison.candidate_b = b.candidate
    where comparison.mode = 'automation' and a.family = b.family and a.gradient <> b.gradient
),

final as (
    select
        judge,
        family,
        {{ to_double('sum(is_recovered)') }} / count(*) as recovered_share,
        cast(sum(is_recovered) as bigint) as n_recovered,
        cast(count(*) as bigint) as n_comparisons
    from compared
    group by judge, family
)

select * from final
