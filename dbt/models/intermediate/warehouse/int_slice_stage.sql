with

stages as (
    select * from {{ ref('seed_slice_stage') }}
),

rating as (
    select
        benchmark,
        item,
        count(distinct rater) as n_raters
    from {{ ref('stg_rating') }}
    where level is not null
    group by benchmark, item
),

rater as (
    select count(distinct rater) as n_raters
    from {{ ref('stg_rating') }}
    where level is not null
),

battery as (
    select
        count(*) as n_rated,
        sum(case when rating.n_raters = rater.n_raters then 1 else 0 end) as n_rated_by_all
    from rating
    cross join rater
),

valid_item as (
    select count(*) as n_rows
    from {{ ref('int_battery_item') }}
    where is_valid
),

result as (
    select
        count(*) as n_rows,
        sum(case when is_in_battery then 1 else 0 end) as n_rated,
        sum(case when is_valid then 1 else 0 end) as n_valid,
        sum(case when is_valid and status = 'scored' then 1 else 0 end) as n_scored
    from {{ ref('int_result_item') }}
),

with_activity as (
    select distinct respondent
    from {{ ref('stg_survey_activity') }}
    where is_selected and activity is not null
),

people as (
    select
        count(*) as n_rows,
        sum(case when coalesce(qc.removed_by, 'kept') not in ('preview', 'test', 'spam') then 1 else 0 end) as n_people,
        sum(
            case when coalesce(qc.removed_by, 'kept') not in ('preview', 'test', 'spam', 'no_domain') then 1 else 0 end
        ) as n_in_domain,
        sum(case when qc.is_kept then 1 else 0 end) as n_kept,
        sum(case when qc.is_kept and with_activity.respondent is not null then 1 else 0 end) as n_usable
    from {{ ref('int_respondent_qc') }} as qc
    left join with_activity on qc.respondent = with_activity.respondent
),

interview as (
    select
        count(*) as n_rows,
        sum(case when is_usable then 1 else 0 end) as n_usable
    from {{ ref('int_interview') }}
),

response as (
    select
        count(*) as n_rows,
        sum(case when status = 'scored' then 1 else 0 end) as n_scored
    from {{ ref('stg_propensity_response') }}
),

known_response as (
    select count(*) as n_rows from {{ ref('int_propensity_response') }}
),

verdict as (
    select
        count(*) as n_rows,
        sum(case when state = 'accepted' then 1 else 0 end) as n_accepted
    from {{ ref('stg_tournament_verdict') }}
),

comparison as (
    select count(*) as n_rows from {{ ref('int_tournament_comparison') }}
),

chat as (
    select
        count(*) as n_rows,
        sum(case when is_usable and is_english then 1 else 0 end) as n_usable
    from {{ ref('stg_chat') }}
),

matched as (
    select sum(n_chats) as n_chats from {{ ref('int_task_set') }}
),

occupation as (
    select count(*) as n_rows
    from {{ ref('int_occupation_adoption') }}
    where n_chats > 0
),

trajectory as (
    select
        count(*) as n_rows,
        sum(case when state = 'accepted' then 1 else 0 end) as n_accepted
    from {{ ref('stg_trajectory') }}
),

agent_run as (
    select count(*) as n_rows from {{ ref('int_agent_run') }}
),

profile as (
    select count(distinct system) as n_systems from {{ ref('stg_capability_draw') }}
),

score as (
    select count(*) as n_rows from {{ ref('stg_suitability') }}
),

counted as (
    {% for slice, stage_order, table, column in [
        ('battery', 1, 'battery', 'n_rated'),
        ('battery', 2, 'battery', 'n_rated_by_all'),
        ('battery', 3, 'valid_item', 'n_rows'),
        ('capability', 1, 'result', 'n_rows'),
        ('capability', 2, 'result', 'n_rated'),
        ('capability', 3, 'result', 'n_valid'),
        ('capability', 4, 'result', 'n_scored'),
        ('suitability', 1, 'profile', 'n_systems'),
        ('suitability', 2, 'score', 'n_rows'),
        ('propensity', 1, 'response', 'n_rows'),
        ('propensity', 2, 'response', 'n_scored'),
        ('propensity', 3, 'known_response', 'n_rows'),
        ('assistance', 1, 'verdict', 'n_rows'),
        ('assistance', 2, 'verdict', 'n_accepted'),
        ('assistance', 3, 'comparison', 'n_rows'),
        ('adoption', 1, 'chat', 'n_rows'),
        ('adoption', 2, 'chat', 'n_usable'),
        ('adoption', 3, 'matched', 'n_chats'),
        ('adoption', 4, 'occupation', 'n_rows'),
        ('agentic', 1, 'trajectory', 'n_rows'),
        ('agentic', 2, 'trajectory', 'n_accepted'),
        ('agentic', 3, 'agent_run', 'n_rows'),
    ] %}
    select
        '{{ slice }}' as slice,
        {{ stage_order }} as stage_order,
        coalesce({{ column }}, 0) as n_rows
    from {{ table }}
    union all
    {% endfor %}
    {% for column in ['n_rows', 'n_people', 'n_in_domain', 'n_kept', 'n_usable'] %}
    select
        'work' as slice,
        {{ loop.index }} as stage_order,
        coalesce(people.{{ column }}, 0) + coalesce(interview.{{ 'n_usable' if loop.last else 'n_rows' }}, 0) as n_rows
    from people
    cross join interview
    {% if not loop.last %} union all {% endif %}
    {% endfor %}
),

before as (
    select
        stages.slice,
        stages.stage_order,
        stages.stage,
        counted.n_rows,
        lag(stages.stage) over (partition by stages.slice order by stages.stage_order) as stage_before,
        lag(counted.n_rows) over (partition by stages.slice order by stages.stage_order) as n_before,
        first_value(counted.n_rows) over (partition by stages.slice order by stages.stage_order) as n_first,
        first_value(stages.least_rows) over (partition by stages.slice order by stages.stage_order desc) as least_rows,
        first_value({{ to_double('stages.least_share') }}) over (
            partition by stages.slice order by stages.stage_order desc
        ) as least_share,
        stages.stage_order = max(stages.stage_order) over (partition by stages.slice) as is_last,
        stages.remedy
    from stages
    inner join counted on stages.slice = counted.slice and stages.stage_order = counted.stage_order
),

final as (
    select
        slice,
        cast(stage_order as bigint) as stage_order,
        stage,
        cast(n_rows as bigint) as n_rows,
        stage_before,
        cast(n_before as bigint) as n_before,
        is_last,
        {# too few to go on: where this happens first, the rows were lost #}
        n_rows < least_rows or n_rows < coalesce(least_share, 0) * n_first as is_too_few,
        remedy
    from before
)

select * from final
