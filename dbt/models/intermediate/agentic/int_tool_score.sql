with

verdict as (
    select * from {{ ref('stg_trajectory_verdict') }}
    where measure = 'tool_accuracy' and state <> 'rejected'
),

final as (
    select
        score.scenario,
        score.system,
        score.mode,
        score.run,
        score.tool,
        score.n_expected,
        score.n_called,
        {# a judge is asked only where code can't decide #}
        case
            when score.how <> 'differs' then score.how
            when verdict.score is not null then 'judge'
            else 'unjudged'
        end as how,
        cast(case when score.how = 'differs' then verdict.score else score.score end as bigint) as score,
        case
            when score.how = 'budget' then 'the budget ended the run'
            when score.how = 'differs' and verdict.score is null
                then coalesce(verdict.reason, 'no judge has compared the calls')
        end as reason
    from {{ ref('stg_key_score') }} as score
    inner join {{ ref('int_agent_run') }} as run
        on {{ same_run('score', 'run') }}
    left join verdict
        on
            {{ same_run('score', 'verdict') }}
            and score.tool = verdict.tool
)

select * from final
