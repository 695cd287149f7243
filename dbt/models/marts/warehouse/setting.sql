with settings as (
    select * from {{ ref('stg_setting') }}
),

final as (
    select
        kind,
        name,
        value,
        default_value,
        is_default,
        meaning
    from settings
)

select * from final
