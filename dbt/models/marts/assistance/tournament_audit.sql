with placed as (
    select
        task,
        mode,
        candidate,
        row_number() over (partition by task, mode order by rank, candidate) as place
    from {{ ref('int_tournament_rank') }}
),

pair as (
    select
        task,
        mode,
        min(candidate) as candidate_a,
        max(candidate) as candidate_b
    from placed
    where place <= 2
    group by task, mode
    having count(*) = 2
),

chosen as (
    select
        pair.task,
        pair.mode,
        pair.candidate_a,
        pair.candidate_b,
        min(comparison.run) as run
    from pair
    inner join {{ ref('int_tournament_comparison') }} as comparison
        on
            pair.task = comparison.task
            and pair.mode = comparison.mode
            and pair.candidate_a = comparison.candidate_a
            and pair.candidate_b = comparison.candidate_b
    group by pair.task, pair.mode, pair.candidate_a, pair.candidate_b
),

verdict as (
    select verdict.*
    from {{ ref('stg_tournament_verdict') }} as verdict
    inner join chosen
        on
            verdict.task = chosen.task
            and verdict.mode = chosen.mode
            and verdict.run = chosen.run
            and verdict.first in (chosen.candidate_a, chosen.candidate_b)
            and verdict.second in (chosen.candidate_a, chosen.candidate_b)
    where verdict.state = 'accepted' and not verdict.is_own_family
),

told as (
    select * from {{ ref('stg_tournament_rationale') }}
),

written as (
    select *
    from {{ ref('stg_tournament_output') }}
    where state = 'accepted'
),

final as (
    select
        verdict.task,
        verdict.mode,
        verdict.run,
        verdict.judge,
        verdict.first,
        verdict.second,
        verdict.choice,
        verdict.mean_score_first,
        verdict.mean_score_second,
        told.rationale,
        substr(first_written.output, 1, 1500) as output_first,
        substr(second_written.output, 1, 1500) as output_second,
        cast(first_written.n_characters as bigint) as n_characters_first,
        cast(second_written.n_characters as bigint) as n_characters_second,
        substr(first_written.assistance, 1, 1500) as assistance_first,
        substr(second_written.assistance, 1, 1500) as assistance_second,
        verdict.source_file,
        verdict.row_number,
        verdict.call_id
    from verdict
    left join told
        on
            verdict.source_file = told.source_file
            and verdict.row_number = told.row_number
            and coalesce(verdict.call_id, '') = coalesce(told.call_id, '')
    left join written as first_written
        on
            verdict.task = first_written.task
            and verdict.mode = first_written.mode
            and verdict.run = first_written.run
            and verdict.first = first_written.candidate
    left join written as second_written
        on
            verdict.task = second_written.task
            and verdict.mode = second_written.mode
            and verdict.run = second_written.run
            and verdict.second = second_written.candidate
)

select * from final
