with final as (
    select
        source_file,
        row_number,
        rater,
        benchmark,
        item,
        capability_name,
        level,
        cast(null as {{ dbt.type_string() }}) as answer_status
    from {{ source('raw', 'rating') }}
    union all
    select
        'llm:' || rater as source_file,
        item_number as row_number,
        rater,
        benchmark,
        item,
        capability as capability_name,
        cast(level as {{ dbt.type_string() }}) as level,
        status as answer_status
    from {{ ref('stg_annotation') }}
    where is_used
)

select * from final
