with

ranked as (
    select * from {{ source('model', 'calibration') }}
),

final as (
    select
        dimension,
        level,
        coverage_share,
        n_fits,
        uniformity_p
    from ranked
)

select * from final
