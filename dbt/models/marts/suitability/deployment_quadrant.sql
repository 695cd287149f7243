{% set x_types = {
    'importance': ('importance', var('quadrant_importance')),
    'conditional_importance': ('conditional_importance', var('quadrant_conditional_importance')),
    'hours': ('hours_per_week', var('quadrant_hours')),
} %}
{% set suitability_border = var('quadrant_suitability_log') %}

with

pooled as (
    select * from {{ ref('suitability_pooled') }}
),

activity_importance as (
    select * from {{ ref('activity_importance') }}
),

placed as (
    {% for x_type, (column, border) in x_types.items() %}
    select
        pooled.scope_type,
        pooled.scope,
        pooled.activity,
        pooled.policy,
        '{{ x_type }}' as x_type,
        case when not pooled.is_suppressed then activity_importance.{{ column }} end as x,
        {{ to_double(border if border is not none else 'null') }} as x_threshold,
        pooled.mean_log as suitability_log,
        pooled.upper_half_probability,
        pooled.n_respondents,
        pooled.is_thin,
        pooled.is_suppressed
    from pooled
    left join activity_importance
        on
            pooled.scope_type = activity_importance.scope_type
            and pooled.scope = activity_importance.scope
            and pooled.activity = activity_importance.activity
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

{# suppressed activities have no values and so no part in a median #}
medians as (
    select
        scope_type,
        scope,
        policy,
        x_type,
        percentile_cont(0.5) within group (order by x) as x_median,
        percentile_cont(0.5) within group (order by suitability_log) as suitability_median
    from placed
    group by scope_type, scope, policy, x_type
),

bordered as (
    select
        placed.*,
        coalesce(placed.x_threshold, medians.x_median) as x_border,
        {{ to_double(suitability_border) if suitability_border is not none else 'medians.suitability_median' }}
            as suitability_border_log
    from placed
    inner join medians
        on
            placed.scope_type = medians.scope_type
            and placed.scope = medians.scope
            and placed.policy = medians.policy
            and placed.x_type = medians.x_type
),

sided as (
    select
        *,
        x >= x_border as is_high,
        {# the label takes the side of most draws, so that no other quadrant is more probable #}
        upper_half_probability >= 0.5 as is_suited
    from bordered
),

final as (
    select
        scope_type,
        scope,
        activity,
        policy,
        x_type,
        x,
        x_border,
        suitability_log,
        suitability_border_log,
        case
            when is_high and is_suited then 'development_opportunity'
            when is_high and not is_suited then 'capability_gap'
            when not is_high and is_suited then 'limited_impact'
            when not is_high and not is_suited then 'low_priority'
        end as quadrant,
        case
            when is_high is null then null
            when is_suited then upper_half_probability
            else 1 - upper_half_probability
        end as probability,
        case
            when is_high is null then null
            when is_suited then upper_half_probability >= 0.75
            else 1 - upper_half_probability >= 0.75
        end as is_confident,
        n_respondents,
        is_thin,
        is_suppressed
    from sided
)

select * from final
