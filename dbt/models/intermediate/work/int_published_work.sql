with

flow as (
    select
        source,
        domain,
        removed_by,
        is_kept
    from {{ ref('int_respondent_qc') }}
    where coalesce(removed_by, 'kept') not in ('preview', 'test', 'spam')
),

scopes as (
    select * from {{ ref('int_survey_scope') }}
    where scope_type = 'all' or (scope_type = 'source' and scope <> 'all')
),

respondents as (
    select * from {{ ref('stg_respondent') }}
),

{# no comparison shows what its mart withholds #}
activities as (
    select * from {{ ref('int_disclosed_importance') }}
    where scope_type in ('all', 'domain') and n_selected > 0
),

capabilities as (
    select * from {{ ref('int_disclosed_capability_importance') }}
    where scope_type = 'all'
),

unit_agreement as (
    select * from {{ ref('int_importance_agreement') }}
    where sample_type = 'recruitment' and unit_type in ('capability', 'activity')
),

domain_pairs as (
    select * from {{ ref('int_importance_agreement') }}
    where sample_type = 'domain' and unit_type = 'matrix'
),

reliability as (
    select * from {{ ref('int_importance_reliability') }}
),

departures as (
    select * from {{ ref('int_domain_departure') }}
),

sources as (
    select distinct source
    from flow
),

domains as (
    select domain
    from {{ ref('seed_domain') }}
),

sample as (
    select
        sources.source || ' ' || domains.domain as row_name,
        count(flow.domain) as pre_qc,
        sum(case when flow.is_kept then 1 else 0 end) as post_qc
    from sources
    cross join domains
    left join flow
        on
            sources.source = flow.source
            and domains.domain = flow.domain
    group by sources.source, domains.domain
),

demographics as (
    select
        scopes.scope as row_name,
        count(*) as n,
        {# blanks stay in the denominator, as in the printed shares #}
        {{ exact_avg('case when respondents.sex = 2 then 100 else 0 end') }} as female_percent,
        {{ exact_avg('respondents.years_role') }} as years_role,
        {{ exact_avg('respondents.years_field') }} as years_field,
        {{ exact_avg('respondents.ai_positivity') }} as ai_positivity
    from scopes
    inner join respondents on scopes.respondent = respondents.respondent
    group by scopes.scope
),

quality_control as (
    select
        count(*) as n_started,
        count(domain) as n_in_domain,
        sum(case when removed_by = 'incomplete' then 1 else 0 end) as n_removed_incomplete,
        sum(case when removed_by = 'quiz' then 1 else 0 end) as n_removed_quiz,
        sum(case when removed_by = 'speed' then 1 else 0 end) as n_removed_speed,
        sum(case when is_kept then 1 else 0 end) as n_kept
    from flow
    having count(*) > 0
),

unit_mean as (
    select
        'mean ' || unit_type as row_name,
        {{ exact_avg('cosine') }} as cosine,
        {{ exact_avg('pearson') }} as pearson
    from unit_agreement
    group by unit_type
),

domain_spread as (
    select
        min(pearson) as lowest,
        max(pearson) as highest,
        {{ exact_avg('pearson') }} as mean
    from domain_pairs
),

points as (
    select {{ exact_avg('points') }} * count(distinct capability) as in_all
    from capabilities
),

cells as (
    {{ figures('sample', 'Table B2', 'row_name', ['pre_qc', 'post_qc']) }}
    union all
    {{ figures('demographics', 'Table B3', 'row_name', [
        'n', 'female_percent', 'years_role', 'years_field', 'ai_positivity'
    ]) }}
    union all
    {{ figures('quality_control', 'Section 4.3.1', "'respondents'", [
        'n_started', 'n_in_domain', 'n_removed_incomplete', 'n_removed_quiz', 'n_removed_speed', 'n_kept'
    ]) }}
    union all
    {{ figures('reliability', 'Table B4', 'unit_type', [
        'cosine', 'pearson', 'pearson_low', 'pearson_high', 'reliability_company', 'reliability_online', 'noise_ceiling',
        'disattenuated'
    ]) }}
    union all
    {{ figures('unit_agreement', 'Table B5', 'unit', ['cosine', 'pearson']) }}
    union all
    {{ figures('unit_mean', 'Table B5', 'row_name', ['cosine', 'pearson']) }}
    union all
    {{ figures('domain_spread', 'Section 4.3.4', "'domain pairs'", {
        'pearson minimum': 'lowest', 'pearson maximum': 'highest', 'pearson mean': 'mean'
    }) }}
    union all
    {{ figures('points', 'Figure 4', "'mean over activities'", {'points in all': 'in_all'}) }}
    union all
    select
        'Section 4.3.3' as table_name,
        activity as row_name,
        'importance ' || scope as column_name,
        importance as computed
    from activities
    union all
    select
        'Section 4.3.3' as table_name,
        activity as row_name,
        'hours_per_week all' as column_name,
        hours_per_week as computed
    from activities
    where scope_type = 'all'
    union all
    select
        'Section 4.3.4' as table_name,
        domain as row_name,
        'departure ' || capability as column_name,
        departure as computed
    from departures
),

final as (
    select
        'task-suitability-profiles' as paper,
        table_name,
        row_name,
        column_name,
        computed
    from cells
    where computed is not null
)

select * from final
