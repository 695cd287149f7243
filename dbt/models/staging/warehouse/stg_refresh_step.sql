with

landed as (
    select * from {{ source('raw', 'refresh_step') }}
),

final as (
    select
        asset,
        is_made,
        reason,
        seconds,
        n_rows
    from landed
)

select * from final
