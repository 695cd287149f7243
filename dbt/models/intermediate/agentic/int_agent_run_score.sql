with

run as (
    select * from {{ ref('int_agent_run') }}
),

tool as (
    select
        scenario,
        system,
        mode,
        run,
        count(*) as n_tools,
        sum(case when how = 'unjudged' then 1 else 0 end) as n_unjudged,
        sum(score) as n_right,
        sum(case when how in ('exact', 'normalised') then 1 else 0 end) as n_right_by_code
    from {{ ref('int_tool_score') }}
    group by scenario, system, mode, run
),

called as (
    select
        run.scenario,
        run.system,
        run.mode,
        run.run,
        run.ended_by,
        run.is_catastrophic,
        tool.n_tools,
        coalesce(tool.n_unjudged, 0) as n_unjudged,
        tool.n_right,
        tool.n_right_by_code
    from run
    left join tool
        on {{ same_run('run', 'tool') }}
),

verdict as (
    select * from {{ ref('stg_trajectory_verdict') }}
    where state <> 'rejected'
),

final as (
    {% for measure, right in [('tool_accuracy', 'n_right'), ('tool_accuracy_by_code', 'n_right_by_code')] %}
    select
        scenario,
        system,
        mode,
        run,
        '{{ measure }}' as measure,
        case
            when ended_by = 'budget' {% if measure == 'tool_accuracy' %}or n_unjudged > 0 {% endif %}then null
            {# nothing had to be called #}
            when n_tools is null then case when is_catastrophic then 0 else 1 end
            else {{ to_double(right) }} / n_tools
        end as score,
        case
            when ended_by = 'budget' then 'budget'
            {% if measure == 'tool_accuracy' %}when n_unjudged > 0 then 'unjudged'
            {% endif %}else 'scored'
        end as status,
        cast(null as {{ dbt.type_string() }}) as category
    from called
    union all
    {% endfor %}
    select
        run.scenario,
        run.system,
        run.mode,
        run.run,
        measure.measure,
        {{ to_double("case
            when run.ended_by = 'budget' then null
            when measure.measure = 'autonomy' and run.ended_by in ('turn_limit', 'time_limit') then 1
            else verdict.score
        end") }} as score,
        case
            when run.ended_by = 'budget' then 'budget'
            when measure.measure = 'autonomy' and run.ended_by in ('turn_limit', 'time_limit') then 'scored'
            when verdict.state is null then 'unjudged'
            else verdict.state
        end as status,
        case when verdict.score < 3 then verdict.category end as category
    from run
    inner join {{ ref('seed_agent_measure') }} as measure
        on
            measure.measure <> 'tool_accuracy'
            and case when run.mode = 'single' then measure.is_single else measure.is_multi end
    left join verdict
        on
            {{ same_run('run', 'verdict') }}
            and measure.measure = verdict.measure
)

select * from final
