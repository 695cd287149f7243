with

respondents as (
    select
        source,
        coalesce(domain, 'none') as domain,
        removed_by,
        coalesce(removed_by, 'kept') not in ('preview', 'test', 'spam') as is_person,
        is_kept
    from {{ ref('int_respondent_qc') }}
),

sources as (
    select distinct source
    from respondents
),

domains as (
    select domain
    from {{ ref('seed_domain') }}
    union all
    select 'none' as domain
),

final as (
    select
        sources.source,
        domains.domain,
        cast(count(respondents.domain) as bigint) as n_recorded,
        {% for mark in ['preview', 'test', 'spam'] %}
        cast(sum(case when respondents.removed_by = '{{ mark }}' then 1 else 0 end) as bigint) as n_{{ mark }},
        {% endfor %}
        cast(sum(case when respondents.is_person then 1 else 0 end) as bigint) as n_started,
        cast(
            sum(case when respondents.is_person and domains.domain <> 'none' then 1 else 0 end) as bigint
        ) as n_in_domain,
        cast(sum(case when respondents.removed_by = 'incomplete' then 1 else 0 end) as bigint) as n_removed_incomplete,
        cast(sum(case when respondents.removed_by = 'quiz' then 1 else 0 end) as bigint) as n_removed_quiz,
        cast(sum(case when respondents.removed_by = 'speed' then 1 else 0 end) as bigint) as n_removed_speed,
        cast(sum(case when respondents.removed_by = 'unknown' then 1 else 0 end) as bigint) as n_removed_unknown,
        cast(sum(case when respondents.is_kept then 1 else 0 end) as bigint) as n_kept
    from sources
    cross join domains
    left join respondents
        on
            sources.source = respondents.source
            and domains.domain = respondents.domain
    group by sources.source, domains.domain
)

select * from final
