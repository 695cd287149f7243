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

{# what is not published of a domain must not follow from what is made of its matrix #}
withheld as (
    select
        'domain' as sample_type,
        scope as sample_name,
        activity
    from {{ ref('int_cell_suppression') }}
    where scope_type = 'domain' and suppression is not null
),

cells as (
    select
        members.sample_type,
        members.sample_name,
        members.activity,
        members.capability,
        {{ exact_avg('members.points') }} as points,
        count(*) as n_raters
    from members
    left join withheld
        on
            members.sample_type = withheld.sample_type
            and members.sample_name = withheld.sample_name
            and members.activity = withheld.activity
    where withheld.activity is null
    group by members.sample_type, members.sample_name, members.activity, members.capability
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
