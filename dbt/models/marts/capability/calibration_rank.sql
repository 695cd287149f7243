with

ranked as (
    select * from {{ source('model', 'calibration_rank') }}
),

final as (
    select
        dimension,
        bin,
        n_fits
    from ranked
)

select * from final
