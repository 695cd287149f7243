with

counted as (
    select
        score.scenario,
        score.system,
        score.mode,
        score.measure,
        count(*) as n_runs,
        sum(case when score.status = 'scored' then 1 else 0 end) as n_scored,
        sum(case when score.status = 'unjudged' then 1 else 0 end) as n_unjudged,
        sum(case when score.status = 'unscored' then 1 else 0 end) as n_unscored,
        sum(case when score.status = 'budget' then 1 else 0 end) as n_out_of_budget,
        {{ exact_avg('score.score') }} as mean_score,
        sum(case when score.score = coalesce(measure.most, 1) then 1 else 0 end) as n_complete
    from {{ ref('int_agent_run_score') }} as score
    left join {{ ref('seed_agent_measure') }} as measure on score.measure = measure.measure
    group by score.scenario, score.system, score.mode, score.measure
),

final as (
    select
        counted.scenario,
        scenario.pair,
        scenario.occupation,
        counted.system,
        counted.mode,
        counted.measure,
        {# what code scores are the easy ones: without the rest their mean is too high #}
        case when counted.measure <> 'tool_accuracy' or counted.n_unjudged = 0 then counted.mean_score end as score,
        case
            when counted.measure <> 'tool_accuracy' or counted.n_unjudged = 0
                then {{ to_double('counted.n_complete') }} / nullif(counted.n_scored, 0)
        end as complete_share,
        cast(counted.n_runs as bigint) as n_runs,
        cast(counted.n_scored as bigint) as n_scored,
        cast(counted.n_unjudged as bigint) as n_unjudged,
        cast(counted.n_unscored as bigint) as n_unscored,
        cast(counted.n_out_of_budget as bigint) as n_out_of_budget,
        scenario.n_tools_required,
        scenario.n_tools_offered,
        scenario.n_withheld
    from counted
    inner join {{ ref('int_scenario') }} as scenario on counted.scenario = scenario.scenario
)

select * from final
