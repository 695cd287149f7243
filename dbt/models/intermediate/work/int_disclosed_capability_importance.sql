with

importance as (
    select * from {{ ref('int_capability_importance') }}
),

activities as (
    select * from {{ ref('int_activity_importance') }}
),

suppression as (
    select * from {{ ref('int_cell_suppression') }}
),

final as (
    select
        importance.scope_type,
        importance.scope,
        importance.activity,
        importance.capability,
        case when suppression.suppression is null then importance.points end as points,
        case
            when suppression.suppression is null and importance.n_selected >= suppression.min_respondents
                then importance.points_if_selected
        end as points_if_selected,
        importance.n_raters,
        {# points x n_raters / n_selected is points_if_selected #}
        case
            when
                suppression.suppression is not null
                or not {{ is_few('importance.n_selected', 'suppression.min_respondents') }}
                then importance.n_selected
        end as n_selected,
        activities.n_respondents,
        importance.n_raters < 5 as is_thin,
        suppression.suppression is not null as is_suppressed,
        suppression.suppression
    from importance
    inner join activities
        on
            importance.scope_type = activities.scope_type
            and importance.scope = activities.scope
            and importance.activity = activities.activity
    inner join suppression
        on
            importance.scope_type = suppression.scope_type
            and importance.scope = suppression.scope
            and importance.activity = suppression.activity
)

select * from final
