with

final as (
    select distinct
        level,
        text
    from {{ ref('stg_index_value') }}
    where level in ('task', 'IWA')
)

select * from final
