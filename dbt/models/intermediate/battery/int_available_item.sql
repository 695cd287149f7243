with rated as (
    select
        benchmark,
        item,
        max(case when source_file not like 'llm:%' then 1 else 0 end) = 1 as is_in_file
    from {{ ref('stg_rating') }}
    where level is not null
    group by benchmark, item
),

asked as (
    select
        benchmark,
        item,
        sum(case when status = 'pending' then 1 else 0 end) = 0 as is_settled,
        sum(case when level is not null then 1 else 0 end) > 0 as is_rated
    from {{ ref('stg_annotation') }}
    where not is_comparison
    group by benchmark, item
),

with_text as (
    select
        benchmark,
        item
    from {{ ref('stg_item') }}
    where text is not null and not is_excluded
),

excluded as (
    select
        benchmark,
        item
    from {{ ref('stg_item') }}
    where is_excluded
),

named as (
    select
        benchmark,
        item
    from rated
    union
    select
        benchmark,
        item
    from with_text
),

final as (
    select
        named.benchmark,
        named.item,
        with_text.item is not null as has_text,
        rated.item is not null or coalesce(asked.is_rated, false) as is_rated,
        coalesce(rated.is_in_file, false) or coalesce(asked.is_settled, false) as is_settled
    from named
    left join rated on named.benchmark = rated.benchmark and named.item = rated.item
    left join asked on named.benchmark = asked.benchmark and named.item = asked.item
    left join with_text on named.benchmark = with_text.benchmark and named.item = with_text.item
    left join excluded on named.benchmark = excluded.benchmark and named.item = excluded.item
    where excluded.item is null
)

select * from final
