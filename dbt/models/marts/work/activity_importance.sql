with

importance as (
    select * from {{ ref('int_activity_importance') }}
),

suppression as (
    select * from {{ ref('int_cell_suppression') }}
),

cells as (
    select
        importance.*,
        suppression.min_respondents,
        suppression.suppression
    from importance
    inner join suppression
        on
            importance.scope_type = suppression.scope_type
            and importance.scope = suppression.scope
            and importance.activity = suppression.activity
),

final as (
    select
        scope_type,
        scope,
        activity,
        case
            when suppression is null and not {{ is_few('n_ranked', 'min_respondents') }} then importance
        end as importance,
        case
            when suppression is null and not {{ is_few('n_ranked', 'min_respondents') }} then conditional_importance
        end as conditional_importance,
        case
            when suppression is null and not {{ is_few('n_hours', 'min_respondents') }} then hours_per_week
        end as hours_per_week,
        n_selected,
        n_ranked,
        n_hours,
        n_respondents,
        is_absent,
        n_selected < 5 as is_thin,
        suppression is not null as is_suppressed,
        suppression
    from cells
)

select * from final
