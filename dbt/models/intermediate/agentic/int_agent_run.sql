with

final as (
    select
        run.scenario,
        run.system,
        run.mode,
        run.run,
        run.ended_by,
        run.ended_by in ('turn_limit', 'time_limit', 'crashed') as is_catastrophic,
        run.n_steers,
        run.reward,
        run.input_tokens,
        run.output_tokens,
        run.cost,
        run.seconds,
        scenario.occupation,
        scenario.pair,
        scenario.n_withheld
    from {{ ref('stg_trajectory') }} as run
    inner join {{ ref('int_scenario') }} as scenario on run.scenario = scenario.scenario
    where run.state = 'accepted' and scenario.is_usable
)

select * from final
