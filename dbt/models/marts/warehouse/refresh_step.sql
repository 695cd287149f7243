with

steps as (
    select * from {{ ref('stg_refresh_step') }}
),

final as (
    select
        asset,
        is_made,
        reason,
        seconds,
        n_rows
    from steps
)

select * from final
