with raw_rating as (
    select * from {{ ref('stg_rating_cell') }}
),

record as (
    select
        source_file,
        row_number,
        min(rater) as rater,
        min(benchmark) as benchmark,
        min(item) as item
    from raw_rating
    group by source_file, row_number
),

ordered as (
    select
        *,
        row_number() over (partition by rater, benchmark, item order by source_file, row_number) as occurrence
    from record
),

final as (
    select
        source_file,
        row_number,
        rater,
        benchmark,
        item,
        case
            when {{ blank_to_null('benchmark') }} is null then 'blank dataset name'
            when {{ blank_to_null('item') }} is null then 'blank sample id'
            when occurrence > 1 then 'item stands twice for this rater; its first row counts'
        end as reason
    from ordered
)

select * from final
