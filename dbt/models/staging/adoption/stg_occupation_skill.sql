with

final as (
    select
        source_file,
        row_number,
        occupation,
        skill,
        name,
        value,
        {{ try_double('value') }} as importance,
        coalesce(recommend_suppress = 'Y', false) as is_suppressed
    from {{ source('raw', 'onet_skill') }}
    where scale = 'IM'
)

select * from final
