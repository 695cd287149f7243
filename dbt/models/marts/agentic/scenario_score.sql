with

final as (
    select
        scenario,
        pair,
        occupation,
        system,
        mode,
        measure,
        score,
        complete_share,
        n_runs,
        n_scored,
        n_unjudged,
        n_unscored,
        n_out_of_budget,
        n_tools_required as n_tools,
        n_tools_offered
    from {{ ref('int_scenario_score') }}
)

select * from final
