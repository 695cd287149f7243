with

occupation as (
    select * from {{ source('raw', 'onet_occupation') }}
),

release as (
    select max(soc_taxonomy) as soc_taxonomy
    from {{ source('raw', 'onet_release') }}
),

zone as (
    select
        occupation,
        {{ try_double('job_zone') }} as job_zone
    from {{ source('raw', 'onet_job_zone') }}
),

final as (
    select
        occupation.occupation,
        occupation.title,
        substring(occupation.occupation, 1, 2) as major_group,
        coalesce(release.soc_taxonomy, 'unknown') as soc_taxonomy,
        cast(zone.job_zone as bigint) as job_zone
    from occupation
    cross join release
    left join zone on occupation.occupation = zone.occupation and zone.job_zone in (1, 2, 3, 4, 5)
)

select * from final
