with verdict as (
    select
        task,
        mode,
        run,
        judge,
        case when first < second then first else second end as candidate_a,
        case when first < second then second else first end as candidate_b,
        case
            when choice = 'tie' then 'tie'
            when (choice = 'first') = (first < second) then 'a'
            else 'b'
        end as outcome,
        case when first < second then 1 - share_second else share_second end as share_a,
        case when first < second then mean_score_first else mean_score_second end as score_a,
        case when first < second then mean_score_second else mean_score_first end as score_b
    from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted' and not is_own_family
),

final as (
    select
        task,
        mode,
        run,
        judge,
        candidate_a,
        candidate_b,
        {# who wins from one seat only has not won #}
        case when min(outcome) = max(outcome) then min(outcome) else 'tie' end as outcome,
        min(outcome) <> max(outcome) as is_flipped,
        avg(share_a) as share_a,
        avg(score_a) as score_a,
        avg(score_b) as score_b,
        cast(count(*) as bigint) as n_verdicts
    from verdict
    group by task, mode, run, judge, candidate_a, candidate_b
)

select * from final
