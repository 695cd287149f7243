with

sensitivity as (
    select * from {{ ref('int_policy_sensitivity') }}
),

final as (
    select
        basis,
        scope_type,
        scope,
        weighting,
        power,
        sharpness,
        kendall_tau,
        n_activities,
        n_respondents,
        is_thin,
        is_suppressed
    from sensitivity
)

select * from final
