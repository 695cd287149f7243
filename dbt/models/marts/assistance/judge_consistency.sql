with verdict as (
    select
        coalesce(judge, 'all') as judge,
        coalesce(mode, 'all') as mode,
        count(*) as n_scored,
        sum(
            case
                when choice = 'first' and mean_score_first > mean_score_second then 1
                when choice = 'second' and mean_score_second > mean_score_first then 1
                else 0
            end
        ) as n_matching
    from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted' and not is_own_family and choice <> 'tie' and mean_score_first is not null
    group by cube (judge, mode)
),

comparison as (
    select
        coalesce(judge, 'all') as judge,
        coalesce(mode, 'all') as mode,
        sum(case when n_verdicts = 2 then 1 else 0 end) as n_both_seats,
        sum(case when is_flipped then 1 else 0 end) as n_flipped
    from {{ ref('int_tournament_comparison') }}
    group by cube (judge, mode)
),

agreement as (
    select
        coalesce(comparison.judge, 'all') as judge,
        coalesce(comparison.mode, 'all') as mode,
        sum(
            case comparison.outcome when 'a' then pair.n_a when 'b' then pair.n_b else pair.n_tie end - 1
        ) as n_alike,
        sum(pair.n_a + pair.n_b + pair.n_tie - 1) as n_others
    from {{ ref('int_tournament_comparison') }} as comparison
    inner join {{ ref('int_tournament_pair') }} as pair
        on
            comparison.task = pair.task
            and comparison.mode = pair.mode
            and comparison.run = pair.run
            and comparison.candidate_a = pair.candidate_a
            and comparison.candidate_b = pair.candidate_b
    group by cube (comparison.judge, comparison.mode)
),

cell as (
    select
        coalesce(judge, 'all') as judge,
        coalesce(mode, 'all') as mode,
        count(mean_score) as n_cells,
        case
            when
                stddev_pop(mean_score) > 1e-9
                and stddev_pop(case when mean_score is not null then win_share end) > 1e-9
                {# its last bits may lie beyond 1 #}
                then greatest(-1, least(1, corr(mean_score, win_share)))
        end as rubric_win_correlation
    from {{ ref('int_tournament_standing') }}
    group by cube (judge, mode)
),

final as (
    select
        comparison.judge,
        comparison.mode,
        {{ to_double('verdict.n_matching') }} / nullif(verdict.n_scored, 0) as choice_matches_rubric_share,
        cell.rubric_win_correlation,
        {{ to_double('agreement.n_alike') }} / nullif(agreement.n_others, 0) as agreement_share,
        {{ to_double('comparison.n_flipped') }} / nullif(comparison.n_both_seats, 0) as flipped_share,
        cast(coalesce(verdict.n_scored, 0) as bigint) as n_scored,
        cast(coalesce(cell.n_cells, 0) as bigint) as n_cells,
        cast(agreement.n_others as bigint) as n_others,
        cast(comparison.n_both_seats as bigint) as n_both_seats,
        cast(comparison.n_flipped as bigint) as n_flipped
    from comparison
    left join verdict on comparison.judge = verdict.judge and comparison.mode = verdict.mode
    left join agreement on comparison.judge = agreement.judge and comparison.mode = agreement.mode
    left join cell on comparison.judge = cell.judge and comparison.mode = cell.mode
    {# a cube of nothing still has its grand total #}
    where comparison.n_both_seats is not null
)

select * from final
