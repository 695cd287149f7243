with

crosswalk as (
    select * from {{ source('raw', 'oews_crosswalk') }}
),

final as (
    select
        occupation,
        oews_code,
        coalesce(soc_taxonomy, 'unknown') as soc_taxonomy
    from crosswalk
    where occupation is not null and oews_code is not null
)

select * from final
