with

final as (
    select
        occupation,
        skill,
        name,
        importance,
        is_suppressed
    from {{ ref('stg_occupation_skill') }}
)

select * from final
