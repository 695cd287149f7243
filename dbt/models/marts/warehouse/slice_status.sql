with

slice_input as (
    select * from {{ ref('seed_slice_input') }}
),

found as (
    select
        {# interviews alone say what work needs, too #}
        case when input = 'interviews' then 'survey' else input end as input,
        count(*) as n_files
    from {{ source('raw', 'source_file') }}
    group by case when input = 'interviews' then 'survey' else input end
),

counted as (
    select
        slice_input.slice,
        count(slice_input.input) as n_inputs,
        max(found.n_files) as n_files,
        sum(case when slice_input.input is not null and found.n_files is null then 1 else 0 end) as n_missing,
        {{ dbt.listagg(
            "case when slice_input.input is not null and found.n_files is null then slice_input.folder end",
            "', '",
            "order by slice_input.folder"
        ) }} as missing_folders
    from slice_input
    left join found on slice_input.input = found.input
    group by slice_input.slice
),

final as (
    select
        slice,
        case
            when n_inputs = 0 then 'not_built'
            when n_missing > 0 then 'skipped'
            else 'filled'
        end as status,
        case
            when n_inputs = 0 then 'this version does not build the slice yet'
            when n_missing > 0 then 'no files in ' || missing_folders
            when slice = 'battery' and n_files = 1
                then 'all inputs found; one rater only, so agreement could not be assessed and no capability is dropped'
            else 'all inputs found'
        end as reason
    from counted
)

select * from final
