with

importance as (
    select * from {{ ref('int_disclosed_importance') }}
),

final as (
    select
        scope_type,
        scope,
        activity,
        importance,
        conditional_importance,
        hours_per_week,
        n_selected,
        n_ranked,
        n_hours,
        n_respondents,
        n_domains,
        is_absent,
        is_thin,
        is_suppressed,
        suppression,
        case
            when importance is not null or is_absent or is_suppressed then null
            when scope_type in ('role', 'duty') then 'interview'
            when scope_type = 'all' and n_domains = 0 then 'no_domain'
            else 'few_ranks'
        end as importance_reason
    from importance
)

select * from final
