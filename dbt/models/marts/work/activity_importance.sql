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
        suppression
    from importance
)

select * from final
