with raw_result as (
    select * from {{ source('raw', 'result') }}
),

not_scored as (
    select *
    from {{ ref('stg_result') }}
    where status <> 'scored'
),

final as (
    select
        'result' as table_name,
        not_scored.source_file,
        not_scored.row_number,
        case
            when not_scored.reason = 'blank dataset name' then 'dataset_name'
            when not_scored.status = 'rejected' then 'sample_id'
            else 'score'
        end as column_name,
        case
            when not_scored.reason = 'blank dataset name' then not_scored.benchmark
            when not_scored.status = 'rejected' then not_scored.item
            else raw_result.score
        end as value,
        not_scored.reason
    from not_scored
    inner join raw_result
        on not_scored.source_file = raw_result.source_file and not_scored.row_number = raw_result.row_number
)

select * from final
