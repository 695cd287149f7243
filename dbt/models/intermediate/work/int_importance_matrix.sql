with

answers as (
    select * from {{ ref('int_importance_answer') }}
),

members as (
    select
        'recruitment' as sample_type,
        recruitment as sample_name,
        respondent,
        activity,
        capability,
        points
    from answers
    union all
    select
        'domain' as sample_type,
        domain as sample_name,
        respondent,
        activity,
        capability,
        points
    from answers
),

samples as (
    select
        sample_type,
        sample_name,
        count(distinct respondent) as n_respondents
    from members
    group by sample_type, sample_name
),

activities as (
    select activity from {{ ref('seed_activity') }}
),

retained as (
    select capability
    from {{ ref('int_capability_retention') }}
    where is_retained
),

cells as (
    select
        sample_type,
        sample_name,
        activity,
        capability,
        {{ exact_avg('points') }} as points,
        count(*) as n_raters
    from members
    group by sample_type, sample_name, activity, capability
),

final as (
    select
        samples.sample_type,
        samples.sample_name,
        activities.activity,
        retained.capability,
        coalesce(cells.points, 0) as points,
        cast(coalesce(cells.n_raters, 0) as bigint) as n_raters,
        cast(samples.n_respondents as bigint) as n_respondents
    from samples
    cross join activities
    cross join retained
    left join cells
        on
            samples.sample_type = cells.sample_type
            and samples.sample_name = cells.sample_name
            and activities.activity = cells.activity
            and retained.capability = cells.capability
)

select * from final
