with

ranked as (
    select * from {{ ref('stg_calibration_rank') }}
),

final as (
    select
        dimension,
        bin,
        n_fits,
        expected_low,
        expected_high
    from ranked
)

select * from final
