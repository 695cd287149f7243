with

trajectory as (
    select
        scenario,
        system,
        mode,
        run
    from {{ ref('stg_trajectory') }}
    where state = 'accepted'
),

alias as (
    select * from {{ ref('seed_system_alias') }}
),

measure as (
    select * from {{ ref('seed_agent_measure') }}
),

category as (
    select * from {{ ref('seed_error_category') }}
),

named as (
    select
        landed.source_file,
        landed.row_number,
        landed.scenario,
        landed.mode,
        landed.run,
        landed.tool,
        landed.judge,
        landed.score as score_text,
        landed.fault_column,
        landed.fault_value,
        landed.fault,
        {{ try_double('landed.score') }} as score,
        lower(landed.measure) as measure,
        lower(landed.category) as category,
        coalesce(alias.system, landed.system) as system
    from {{ source('raw', 'trajectory_verdict') }} as landed
    left join alias on landed.system = alias.alias
),

known as (
    select
        named.*,
        measure.least,
        measure.most,
        measure.measure is not null as is_measure,
        case when named.mode = 'single' then measure.is_single else measure.is_multi end as is_of_mode,
        trajectory.scenario is not null as is_trajectory,
        named.category is null or category.category is not null as is_category
    from named
    left join measure on named.measure = measure.measure
    left join category
        on
            named.category = category.category
            and case when named.measure = 'autonomy' then 'workflow' else named.measure end = category.measure
    left join trajectory
        on {{ same_run('named', 'trajectory') }}
),

judged as (
    select
        *,
        fault is not null
        or not is_measure
        or not is_of_mode
        or not is_trajectory
        or (measure = 'tool_accuracy' and tool is null)
        or not is_category as is_faulty,
        coalesce(score between least and most and floor(score) = score, false) as is_score
    from known
),

{# where a judge was asked again, the first answer that is a score counts #}
numbered as (
    select
        *,
        row_number() over (
            partition by scenario, system, mode, run, measure, coalesce(tool, ''), is_faulty
            order by case when is_score then 0 else 1 end, source_file, row_number
        ) as occurrence
    from judged
),

{% set faults = [
    ('fault is not null', {'column': 'fault_column', 'value': 'fault_value', 'reason': 'fault'}),
    ('not is_measure', {
        'column': "'measure'", 'value': 'measure', 'reason': "'no measure of agents'' runs'"
    }),
    ('not is_of_mode', {
        'column': "'measure'", 'value': 'measure', 'reason': "'not judged in this mode'"
    }),
    ('not is_trajectory', {
        'column': "'run'", 'value': 'run', 'reason': "'no usable line of agentic/trajectories has this run'"
    }),
    ("measure = 'tool_accuracy' and tool is null", {
        'column': "'tool'", 'value': 'tool', 'reason': "'blank, but tool_accuracy is judged by tool name'"
    }),
    ('not is_category', {
        'column': "'category'", 'value': 'category', 'reason': "'no error category of this measure'"
    }),
    ('occurrence > 1', {
        'column': "'measure'", 'value': 'measure', 'reason': "'duplicate: one verdict on the run counts'"
    }),
] %}
final as (
    select
        source_file,
        row_number,
        scenario,
        system,
        mode,
        run,
        measure,
        case when measure = 'tool_accuracy' then tool end as tool,
        judge,
        category,
        case when is_score then cast(score as integer) end as score,
        case
            when is_faulty or occurrence > 1 then 'rejected'
            when is_score then 'scored'
            else 'unscored'
        end as state,
        {{ first_fault(faults, 'column') }} as column_name,
        {{ first_fault(faults, 'value') }} as value,
        coalesce(
            {{ first_fault(faults, 'reason') }},
            case
                when is_score then null
                when score_text is null then 'the judge gave no score'
                else 'the judge''s score can''t be read'
            end
        ) as reason
    from numbered
)

select * from final
