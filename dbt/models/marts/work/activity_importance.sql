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
        n_selected < 5 as is_thin,
        suppression is not null as is_suppressed,
        suppression
    from importance
)

select * from final
