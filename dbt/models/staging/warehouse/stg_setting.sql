with final as (
    select
        kind,
        name,
        value,
        default_value,
        is_default,
        meaning
    from {{ source('raw', 'setting') }}
)

select * from final
