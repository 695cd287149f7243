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

usable as (
    select
        slice,
        stage,
        n_rows,
        is_too_few
    from {{ ref('int_slice_stage') }}
    where is_last
),

too_few as (
    select
        *,
        row_number() over (partition by slice order by stage_order) as occurrence
    from {{ ref('int_slice_stage') }}
    where is_too_few
),

{# where fewer arrive than the slice needs, for the first time #}
lost as (
    select
        slice,
        coalesce(stage_before || ': ' || cast(n_before as {{ dbt.type_string() }}) || ', ', '')
        || stage || ': ' || cast(n_rows as {{ dbt.type_string() }}) || coalesce('. ' || remedy, '') as message
    from too_few
    where occurrence = 1
),

final as (
    select
        counted.slice,
        case
            when counted.n_inputs = 0 then 'not_built'
            when counted.n_missing > 0 then 'skipped'
            when coalesce(usable.is_too_few, false) then 'empty'
            else 'filled'
        end as status,
        case when counted.n_inputs > 0 and counted.n_missing = 0 then usable.n_rows end as n_usable,
        usable.stage as usable,
        case
            when counted.n_inputs = 0 then 'this version does not build the slice yet'
            when counted.n_missing > 0 then 'no files in ' || counted.missing_folders
            when usable.is_too_few then 'too few usable rows: ' || lost.message
            else 'all inputs found'
        end
        || case
            when counted.n_missing = 0 and counted.n_ratings > 0 and not coalesce(usable.is_too_few, false)
                then '; ' || coalesce(raters.annotations, 'no rating can be used')
            else ''
        end
        || case
            when
                counted.slice = 'battery' and counted.n_missing = 0 and raters.n_raters = 1
                and not coalesce(usable.is_too_few, false)
                then '; one rater only, so agreement could not be assessed and no capability is dropped'
            else ''
        end as reason
    from counted
    cross join raters
    left join usable on counted.slice = usable.slice
    left join lost on counted.slice = lost.slice
)

select * from final
