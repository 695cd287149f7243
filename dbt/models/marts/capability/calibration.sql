with

ranked as (
    select * from {{ ref('stg_calibration') }}
),

final as (
    select
        dimension,
        level,
        coverage_share,
        expected_low,
        expected_high,
        n_fits,
        uniformity_p
    from ranked
)

select * from final
