with

given as (
    select * from {{ ref('stg_index_value') }}
),

bridge as (
    select * from {{ ref('stg_index_bridge') }}
),

{# these codes are of SOC 2018, which O*NET-SOC 2019 refines: those of other taxonomies name other occupations #}
soc as (
    select distinct substring(occupation, 1, 7) as unit
    from {{ ref('int_occupation') }}
    where soc_taxonomy = 'O*NET-SOC 2019' and n_tasks > 0
),

final as (
    select
        given.index_name,
        given.level,
        given.unit,
        given.text,
        given.value,
        bridge.unit as matched_unit,
        bridge.method,
        bridge.score,
        bridge.nearest_text
    from given
    inner join bridge on given.level = bridge.level and given.text = bridge.text
    union all
    select
        given.index_name,
        given.level,
        given.unit,
        given.text,
        given.value,
        soc.unit as matched_unit,
        case when soc.unit is not null then 'code' else 'none' end as method,
        cast(null as {{ type_double() }}) as score,
        cast(null as {{ dbt.type_string() }}) as nearest_text
    from given
    left join soc on given.unit = soc.unit
    where given.level = 'SOC'
)

select * from final
