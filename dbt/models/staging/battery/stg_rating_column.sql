with raw_rating as (
    select distinct
        source_file,
        capability_name
    from {{ ref('stg_rating_cell') }}
),

alias as (
    select * from {{ ref('seed_capability_alias') }}
),

named as (
    select
        raw_rating.source_file,
        raw_rating.capability_name,
        alias.capability,
        row_number() over (
            partition by raw_rating.source_file, alias.capability order by raw_rating.capability_name
        ) as occurrence
    from raw_rating
    left join alias on lower(trim(raw_rating.capability_name)) = lower(alias.capability_name)
),

final as (
    select
        source_file,
        capability_name,
        capability,
        case
            when capability is null then 'unknown capability name; names are declared in seed_capability_alias'
            when occurrence > 1 then 'second column of one capability'
        end as reason
    from named
)

select * from final
