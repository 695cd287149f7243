with

policies as (
    select * from {{ ref('stg_policy') }}
),

importance as (
    select * from {{ ref('int_disclosed_importance') }}
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
            when policies.importance_type = 'conditional' then importance.conditional_importance
            when policies.importance_type = 'frequency_adjusted' then importance.importance
        end as importance,
        importance.n_respondents,
        importance.n_selected < 5 as is_thin,
        importance.suppression is not null as is_suppressed
    from importance
    cross join policies
)

select * from final
