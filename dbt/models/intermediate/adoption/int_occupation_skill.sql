with

final as (
    select
        occupation,
        skill,
        name,
        importance,
        is_suppressed,
        coalesce(importance >= 4, false) and not is_suppressed as is_needed
    from {{ ref('stg_occupation_skill') }}
)

select * from final
