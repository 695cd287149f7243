with

policies as (
    select * from {{ ref('stg_policy') }}
),

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
        policies.policy,
        policies.weighting,
        policies.power,
        policies.sharpness,
        policies.weight_uncertainty,
        policies.importance_type,
        case
            when suppression.suppression is not null then null
            when {{ is_few('importance.n_ranked', 'suppression.min_respondents') }} then null
            when policies.importance_type = 'conditional' then importance.conditional_importance
            when policies.importance_type = 'frequency_adjusted' then importance.importance
        end as importance,
        importance.n_respondents,
        importance.n_selected < 5 as is_thin,
        suppression.suppression is not null as is_suppressed
    from importance
    inner join suppression
        on
            importance.scope_type = suppression.scope_type
            and importance.scope = suppression.scope
            and importance.activity = suppression.activity
    cross join policies
)

select * from final
