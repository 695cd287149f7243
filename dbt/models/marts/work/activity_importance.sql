with

importance as (
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
        case when suppression.suppression is null then importance.importance end as importance,
        case when suppression.suppression is null then importance.conditional_importance end as conditional_importance,
        case when suppression.suppression is null then importance.hours_per_week end as hours_per_week,
        importance.n_selected,
        importance.n_respondents,
        importance.is_absent,
        importance.n_selected < 5 as is_thin,
        suppression.suppression is not null as is_suppressed,
        suppression.suppression
    from importance
    inner join suppression
        on
            importance.scope_type = suppression.scope_type
            and importance.scope = suppression.scope
            and importance.activity = suppression.activity
)

select * from final
