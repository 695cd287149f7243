with

iwa as (
    select * from {{ source('raw', 'onet_iwa') }}
),

element as (
    select * from {{ source('raw', 'onet_element') }}
),

gwa as (
    select distinct gwa_id
    from iwa
),

final as (
    select
        'GWA' as level,
        gwa.gwa_id as activity_id,
        coalesce(element.name, gwa.gwa_id) as name,
        cast(null as {{ dbt.type_string() }}) as parent_id
    from gwa
    left join element on gwa.gwa_id = element.element_id
    union all
    select
        'IWA' as level,
        iwa_id as activity_id,
        title as name,
        gwa_id as parent_id
    from iwa
    union all
    select
        'DWA' as level,
        dwa_id as activity_id,
        title as name,
        iwa_id as parent_id
    from {{ source('raw', 'onet_dwa') }}
)

select * from final
