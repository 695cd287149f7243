with final as (
    select
        task,
        mode,
        run,
        judge,
        candidate_a,
        candidate_b,
        'missing: the judge judges this task, but these two of this run never came' as reason
    from {{ ref('int_tournament_missing') }}
    where not is_sent
)

select * from final
