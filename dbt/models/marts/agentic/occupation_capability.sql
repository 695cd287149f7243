with

wide as (
    select
        scenario,
        occupation,
        system,
        mode,
        max(case when measure in ('workflow', 'autonomy') then complete_share end) as complete_share,
        {% for measure in ['tool_accuracy', 'tool_accuracy_by_code', 'workflow', 'autonomy', 'grounding', 'followup'] %}
        max(case when measure = '{{ measure }}' then score end) as {{ measure }}{% if not loop.last %},{% endif %}
        {% endfor %}
    from {{ ref('int_scenario_score') }}
    where occupation is not null
    group by scenario, occupation, system, mode
),

final as (
    select
        wide.occupation,
        occupation.title,
        wide.system,
        wide.mode,
        cast(count(*) as bigint) as n_scenarios,
        cast(count(wide.complete_share) as bigint) as n_judged,
        {{ exact_avg('wide.complete_share') }} as complete_share,
        {{ exact_avg('wide.tool_accuracy') }} as mean_tool_accuracy,
        {{ exact_avg('wide.tool_accuracy_by_code') }} as mean_tool_accuracy_by_code,
        {{ exact_avg('wide.workflow') }} as mean_workflow,
        {{ exact_avg('wide.autonomy') }} as mean_autonomy,
        {{ exact_avg('wide.grounding') }} as mean_grounding,
        {{ exact_avg('wide.followup') }} as mean_followup,
        {# Figure 7: few scenarios score high on everything at once #}
        {{ to_double("sum(
            case
                when wide.tool_accuracy = 1 and coalesce(wide.workflow, wide.autonomy) >= 4 and wide.grounding >= 4
                    then 1
                else 0
            end
        )") }} / nullif(count(wide.tool_accuracy + coalesce(wide.workflow, wide.autonomy) + wide.grounding), 0)
            as all_high_share
    from wide
    left join {{ ref('int_occupation') }} as occupation on wide.occupation = occupation.occupation
    group by wide.occupation, occupation.title, wide.system, wide.mode
)

select * from final
