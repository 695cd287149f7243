{% set grains = [('judge', 'mode'), ('judge', "'all'"), ("'all'", 'mode'), ("'all'", "'all'")] %}

with verdict as (
    select
        judge,
        mode,
        sum(1) as n_scored,
        sum(
            case when (choice = 'first') = (mean_score_first > mean_score_second) and mean_score_first <> mean_score_second
                    then 1
                else 0
            end
        ) as n_matching
    from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted' and not is_own_family and choice <> 'tie' and mean_score_first is not null
    group by judge, mode
),

comparison as (
    select
        judge,
        mode,
        sum(case when n_verdicts = 2 then 1 else 0 end) as n_both_seats,
        sum(case when is_flipped then 1 else 0 end) as n_flipped
    from {{ ref('int_tournament_comparison') }}
    group by judge, mode
),

cell as (
    select
        judge,
        mode,
        mean_score,
        win_share
    from {{ ref('int_tournament_standing') }}
),

{% for judge, mode in grains %}
verdict_{{ loop.index }} as (
    select
        {{ judge }} as judge,
        {{ mode }} as mode,
        sum(n_scored) as n_scored,
        sum(n_matching) as n_matching
    from verdict
    group by 1, 2
),

comparison_{{ loop.index }} as (
    select
        {{ judge }} as judge,
        {{ mode }} as mode,
        sum(n_both_seats) as n_both_seats,
        sum(n_flipped) as n_flipped
    from comparison
    group by 1, 2
),

cell_{{ loop.index }} as (
    select
        {{ judge }} as judge,
        {{ mode }} as mode,
        count(mean_score) as n_cells,
        case
            when
                stddev_pop(mean_score) > 1e-9
                and stddev_pop(case when mean_score is not null then win_share end) > 1e-9
                then corr(mean_score, win_share)
        end as rubric_win_correlation
    from cell
    group by 1, 2
),

{% endfor %}
joined as (
    {% for _ in grains %}
    select
        comparison_{{ loop.index }}.judge,
        comparison_{{ loop.index }}.mode,
        comparison_{{ loop.index }}.n_both_seats,
        comparison_{{ loop.index }}.n_flipped,
        verdict_{{ loop.index }}.n_scored,
        verdict_{{ loop.index }}.n_matching,
        cell_{{ loop.index }}.n_cells,
        cell_{{ loop.index }}.rubric_win_correlation
    from comparison_{{ loop.index }}
    left join verdict_{{ loop.index }}
        on
            comparison_{{ loop.index }}.judge = verdict_{{ loop.index }}.judge
            and comparison_{{ loop.index }}.mode = verdict_{{ loop.index }}.mode
    left join cell_{{ loop.index }}
        on
            comparison_{{ loop.index }}.judge = cell_{{ loop.index }}.judge
            and comparison_{{ loop.index }}.mode = cell_{{ loop.index }}.mode
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

final as (
    select
        judge,
        mode,
        {{ to_double('n_matching') }} / nullif(n_scored, 0) as choice_matches_rubric_share,
        rubric_win_correlation,
        {{ to_double('n_flipped') }} / nullif(n_both_seats, 0) as flipped_share,
        cast(coalesce(n_scored, 0) as bigint) as n_scored,
        cast(coalesce(n_cells, 0) as bigint) as n_cells,
        cast(n_both_seats as bigint) as n_both_seats,
        cast(n_flipped as bigint) as n_flipped
    from joined
)

select * from final
