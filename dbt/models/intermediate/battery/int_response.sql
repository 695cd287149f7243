with system_item as (
    select *
    from {{ ref('int_system_item') }}
    where status = 'scored'
),

final as (
    select
        system,
        benchmark,
        item,
        score,
        n_attempts
    from system_item
)

select * from final
