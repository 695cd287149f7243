with

score as (
    select
        pair,
        occupation,
        system,
        mode,
        {# with a simulated user, autonomy takes the place of workflow #}
        case when measure = 'autonomy' then 'workflow' else measure end as measure,
        score,
        n_withheld
    from {{ ref('int_scenario_score') }}
    where score is not null and measure <> 'followup'
),

single as (
    select
        pair,
        max(occupation) as occupation,
        system,
        measure,
        {{ exact_avg('score') }} as score
    from score
    where mode = 'single' and n_withheld = 0
    group by pair, system, measure
),

multi as (
    select
        pair,
        system,
        measure,
        {{ exact_avg('score') }} as score
    from score
    where mode = 'multi'
    group by pair, system, measure
),

final as (
    select
        single.pair,
        single.occupation,
        single.system,
        single.measure,
        single.score as single_score,
        multi.score as multi_score,
        multi.score - single.score as difference
    from single
    inner join multi
        on single.pair = multi.pair and single.system = multi.system and single.measure = multi.measure
)

select * from final
