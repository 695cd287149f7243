with

robustness as (
    select * from {{ ref('int_ranking_robustness') }}
),

final as (
    select
        basis,
        scope_type,
        scope,
        weighting,
        activity,
        n_pairs,
        winner,
        is_winner_stable,
        n_rankings,
        n_invariant_pairs,
        n_separated_pairs_fixed_weights,
        n_separated_pairs,
        n_respondents,
        is_thin,
        is_suppressed
    from robustness
)

select * from final
