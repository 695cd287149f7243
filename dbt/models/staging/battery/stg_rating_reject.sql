with raw_rating as (
    select * from {{ ref('stg_rating_cell') }}
),

not_rated as (
    select *
    from {{ ref('stg_rating') }}
    where level is null
),

record as (
    select *
    from {{ ref('stg_rating_record') }}
    where reason is not null
),

capability_column as (
    select *
    from {{ ref('stg_rating_column') }}
    where reason is not null
),

final as (
    select
        'rating' as table_name,
        not_rated.source_file,
        not_rated.row_number,
        not_rated.capability_name as column_name,
        raw_rating.level as value,
        case
            when not_rated.status = 'blank' then 'blank cell'
            when raw_rating.answer_status is null then 'not a whole number from 0 to 5'
            when not_rated.status = 'refused' then 'the rater model refused to answer'
            when not_rated.status = 'failed' then 'the call to the rater model failed'
            else 'the answer of the rater model could not be read'
        end as reason
    from not_rated
    inner join raw_rating
        on
            not_rated.source_file = raw_rating.source_file
            and not_rated.row_number = raw_rating.row_number
            and not_rated.capability_name = raw_rating.capability_name
    union all
    select
        'rating' as table_name,
        source_file,
        row_number,
        'sample id' as column_name,
        item as value,
        reason
    from record
    union all
    select
        'rating' as table_name,
        source_file,
        cast(1 as bigint) as row_number,
        capability_name as column_name,
        capability_name as value,
        reason
    from capability_column
)

select * from final
