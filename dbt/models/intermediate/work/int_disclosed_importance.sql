with

importance as (
    select * from {{ ref('int_activity_importance') }}
),

suppression as (
    select * from {{ ref('int_cell_suppression') }}
),

disclosed as (
    select
        importance.scope_type,
        importance.scope,
        importance.activity,
        case
            when
                suppression.suppression is null
                and not {{ is_few('importance.n_ranked', 'suppression.min_respondents') }}
                then importance.importance
        end as importance,
        case
            when
                suppression.suppression is null
                and not {{ is_few('importance.n_ranked', 'suppression.min_respondents') }}
                then importance.conditional_importance
        end as conditional_importance,
        case
            when
                suppression.suppression is null
                and not {{ is_few('importance.n_hours', 'suppression.min_respondents') }}
                then importance.hours_per_week
        end as hours_per_week,
        importance.n_selected,
        importance.n_ranked,
        importance.n_hours,
        importance.n_respondents,
        importance.is_absent,
        suppression.suppression
    from importance
    inner join suppression
        on
            importance.scope_type = suppression.scope_type
            and importance.scope = suppression.scope
            and importance.activity = suppression.activity
),

{# a withheld domain in this mean would follow from it and the pooled means of sources: two equations #}
over_domains as (
    select
        activity,
        {{ exact_avg('importance') }} as importance,
        {{ exact_avg('hours_per_week') }} as hours_per_week,
        count(importance) as n_domains
    from disclosed
    where scope_type = 'domain'
    group by activity
),

final as (
    select
        disclosed.scope_type,
        disclosed.scope,
        disclosed.activity,
        case
            when disclosed.scope_type <> 'all' then disclosed.importance
            when disclosed.importance is not null then over_domains.importance
        end as importance,
        disclosed.conditional_importance,
        case
            when disclosed.scope_type <> 'all' then disclosed.hours_per_week
            when disclosed.hours_per_week is not null then over_domains.hours_per_week
        end as hours_per_week,
        disclosed.n_selected,
        disclosed.n_ranked,
        disclosed.n_hours,
        disclosed.n_respondents,
        {# of a whole that is withheld, the domains in it would say nothing #}
        cast(
            case when disclosed.scope_type = 'all' and disclosed.importance is not null then over_domains.n_domains end
            as bigint
        ) as n_domains,
        disclosed.is_absent,
        disclosed.n_selected < 5 as is_thin,
        disclosed.suppression is not null as is_suppressed,
        disclosed.suppression
    from disclosed
    left join over_domains on disclosed.activity = over_domains.activity
)

select * from final
