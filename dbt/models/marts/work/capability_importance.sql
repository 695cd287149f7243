with final as (
    select
        scope_type,
        scope,
        activity,
        capability,
        points,
        points_if_selected,
        n_raters,
        n_selected,
        n_respondents,
        is_thin,
        is_suppressed,
        suppression
    from {{ ref('int_disclosed_capability_importance') }}
)

select * from final
