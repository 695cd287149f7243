with

slice_input as (
    select * from {{ ref('seed_slice_input') }}
),

rater as (
    select distinct
        rater,
        source
    from {{ ref('annotation') }}
    where is_used
),

raters as (
    select
        count(*) as n_raters,
        case
            when min(source) = 'supplied' then 'supplied annotations'
            when max(source) = 'llm' then 'annotations by language models'
            else 'supplied annotations and ones by language models'
        end as annotations
    from rater
),

found as (
    {# interviews alone say what work needs, too #}
    select case when input = 'interviews' then 'survey' else input end as input
    from {{ ref('stg_source_file') }}
    union distinct
    select input
    from {{ ref('stg_answered_input') }}
    union distinct
    select 'ratings' as input
    from raters
    where n_raters > 0
),

counted as (
    select
        slice_input.slice,
        count(slice_input.input) as n_inputs,
        sum(case when slice_input.input is not null and found.input is null then 1 else 0 end) as n_missing,
        sum(case when slice_input.input = 'ratings' then 1 else 0 end) as n_ratings,
        {{ dbt.listagg(
            "case when slice_input.input is not null and found.input is null then slice_input.folder end",
            "', '",
            "order by slice_input.folder"
        ) }} as missing_folders
    from slice_input
    left join found on slice_input.input = found.input
    group by slice_input.slice
),

final as (
    select
        counted.slice,
        case
            when counted.n_inputs = 0 then 'not_built'
            when counted.n_missing > 0 then 'skipped'
            else 'filled'
        end as status,
        case
            when counted.n_inputs = 0 then 'this version does not build the slice yet'
            when counted.n_missing > 0 then 'no files in ' || counted.missing_folders
            else 'all inputs found'
        end
        || case
            when counted.n_missing = 0 and counted.n_ratings > 0
                then '; ' || coalesce(raters.annotations, 'no rating can be used')
            else ''
        end
        || case
            when counted.slice = 'battery' and counted.n_missing = 0 and raters.n_raters = 1
                then '; one rater only, so agreement could not be assessed and no capability is dropped'
            else ''
        end as reason
    from counted
    cross join raters
)

select * from final
