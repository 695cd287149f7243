with

policies as (
    select * from {{ ref('stg_policy') }}
),

final as (
    select
        policy,
        power,
        sharpness,
        weighting,
        importance_type,
        weight_uncertainty,
        is_default
    from policies
)

select * from final
