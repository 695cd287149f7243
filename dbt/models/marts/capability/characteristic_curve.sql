with curves as (
    select * from {{ ref('stg_characteristic_curve') }}
),

final as (
    select
        system,
        dimension,
        level,
        n_items,
        observed,
        predicted,
        q025,
        q975
    from curves
)

select * from final
