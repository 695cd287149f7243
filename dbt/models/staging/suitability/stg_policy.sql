with

policies as (
    select * from {{ ref('policies') }}
),

final as (
    select
        trim(policy) as policy,
        {{ to_double('power') }} as power,
        {{ to_double('sharpness') }} as sharpness,
        lower(trim(weighting)) as weighting,
        lower(trim(importance_type)) as importance_type,
        lower(trim(weight_uncertainty)) as weight_uncertainty,
        cast(is_default as boolean) as is_default
    from policies
)

select * from final
