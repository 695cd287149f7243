with final as (
    select
        task,
        mode,
        run,
        candidate_a,
        candidate_b,
        cast(sum(case when outcome = 'a' then 1 else 0 end) as bigint) as n_a,
        cast(sum(case when outcome = 'b' then 1 else 0 end) as bigint) as n_b,
        cast(sum(case when outcome = 'tie' then 1 else 0 end) as bigint) as n_tie
    from {{ ref('int_tournament_comparison') }}
    group by task, mode, run, candidate_a, candidate_b
)

select * from final
