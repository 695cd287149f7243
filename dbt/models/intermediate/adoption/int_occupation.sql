with

occupation as (
    select * from {{ ref('stg_occupation') }}
),

major_group as (
    select * from {{ ref('seed_major_group') }}
),

crosswalk as (
    select * from {{ ref('stg_occupation_crosswalk') }}
),

employment as (
    select * from {{ ref('stg_employment') }}
),

task as (
    select
        occupation,
        count(*) as n_tasks
    from {{ ref('stg_task') }}
    group by occupation
),

coded as (
    select
        occupation.occupation,
        occupation.title,
        occupation.major_group,
        major_group.name as major_group_name,
        occupation.soc_taxonomy,
        crosswalk.soc_taxonomy as crosswalk_taxonomy,
        occupation.job_zone,
        employment.oews_code,
        employment.employment,
        employment.median_wage,
        coalesce(employment.is_wage_top_coded, false) as is_wage_top_coded,
        coalesce(task.n_tasks, 0) as n_tasks
    from occupation
    left join major_group on occupation.major_group = major_group.major_group
    left join crosswalk on occupation.occupation = crosswalk.occupation
    left join employment on crosswalk.oews_code = employment.oews_code
    left join task on occupation.occupation = task.occupation
),

shared as (
    select
        *,
        count(*) over (partition by oews_code) as n_all,
        sum(case when n_tasks > 0 then 1 else 0 end) over (partition by oews_code) as n_with_tasks
    from coded
),

divided as (
    select
        *,
        case when n_with_tasks > 0 then n_with_tasks else n_all end as n_sharing,
        {# whom no chat can be matched to takes nobody from those it can #}
        case
            when oews_code is null then null
            when n_with_tasks = 0 then employment / n_all
            when n_tasks > 0 then employment / n_with_tasks
        end as own_employment
    from shared
),

total as (
    select {{ exact_sum('own_employment') }} as employment
    from divided
),

final as (
    select
        divided.occupation,
        divided.title,
        divided.major_group,
        divided.major_group_name,
        divided.soc_taxonomy,
        divided.crosswalk_taxonomy,
        divided.oews_code,
        divided.own_employment as employment,
        divided.own_employment / nullif(total.employment, 0) as employment_share,
        case when divided.oews_code is not null then cast(divided.n_sharing as bigint) end as n_sharing_employment,
        divided.median_wage,
        divided.is_wage_top_coded,
        divided.job_zone,
        cast(divided.n_tasks as bigint) as n_tasks
    from divided
    cross join total
)

select * from final
