with

importance as (
    select * from {{ ref('int_activity_importance') }}
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
        n_respondents,
        is_absent,
        n_selected < 5 as is_thin,
        false as is_suppressed
    from importance
)

select * from final
