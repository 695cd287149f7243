with raw_rating as (
    select
        source_file,
        row_number,
        capability_name,
        {{ blank_to_null('level') }} as level_text,
        {{ try_double('level') }} as number,
        answer_status
    from {{ ref('stg_rating_cell') }}
),

record as (
    select *
    from {{ ref('stg_rating_record') }}
    where reason is null
),

capability_column as (
    select *
    from {{ ref('stg_rating_column') }}
    where reason is null
),

final as (
    select
        record.rater,
        record.benchmark,
        record.item,
        capability_column.capability,
        case
            when raw_rating.number = floor(raw_rating.number) and raw_rating.number between 0 and 5
                then cast(raw_rating.number as bigint)
        end as level,
        case
            when raw_rating.answer_status <> 'answered' then raw_rating.answer_status
            when raw_rating.level_text is null then 'blank'
            when raw_rating.number = floor(raw_rating.number) and raw_rating.number between 0 and 5 then 'rated'
            else 'unparsed'
        end as status,
        raw_rating.source_file,
        raw_rating.row_number,
        raw_rating.capability_name
    from raw_rating
    inner join record
        on raw_rating.source_file = record.source_file and raw_rating.row_number = record.row_number
    inner join capability_column
        on
            raw_rating.source_file = capability_column.source_file
            and raw_rating.capability_name = capability_column.capability_name
)

select * from final
