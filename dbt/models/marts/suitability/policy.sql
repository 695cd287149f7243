with

policies as (
    select * from {{ ref('policies') }}
),

final as (
    select
        policy,
        {{ to_double('power') }} as power,
        {{ to_double('sharpness') }} as sharpness,
        weighting,
        importance_type,
        weight_uncertainty,
        cast(is_default as boolean) as is_default
    from policies
)

select * from final
