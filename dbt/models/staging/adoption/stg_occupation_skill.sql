with

skill as (
    select
        *,
        {{ try_double('value') }} as number
    from {{ source('raw', 'onet_skill') }}
    where scale = 'IM'
),

final as (
    select
        source_file,
        row_number,
        occupation,
        skill,
        name,
        value,
        case when number between 1 and 5 then number end as importance,
        coalesce(upper(recommend_suppress) = 'Y', false) as is_suppressed
    from skill
)

select * from final
