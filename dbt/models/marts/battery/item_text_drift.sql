with text as (
    select
        benchmark,
        item,
        'battery/items/' || benchmark || '.jsonl' as source_file,
        text_key,
        substring(text, 1, 80) as text_start
    from {{ ref('stg_item') }}
    where text_key is not null
    union all
    select
        benchmark,
        item,
        source_file,
        text_key,
        text_start
    from {{ ref('stg_result') }}
    where text_key is not null and status <> 'rejected'
),

one_text as (
    select
        benchmark,
        item,
        text_key,
        min(text_start) as text_start,
        min(source_file) as first_source_file,
        cast(count(distinct source_file) as bigint) as n_source_files
    from text
    group by benchmark, item, text_key
),

counted as (
    select
        *,
        count(*) over (partition by benchmark, item) as n_texts
    from one_text
),

final as (
    select
        benchmark,
        item,
        text_key,
        text_start,
        first_source_file,
        n_source_files,
        cast(n_texts as bigint) as n_texts
    from counted
    where n_texts > 1
)

select * from final
