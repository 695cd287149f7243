with

english as (
    select
        chat_key,
        request_key,
        request,
        form,
        country,
        row_number() over (partition by chat_key order by source_file, row_number) as copy_number,
        row_number() over (
            partition by chat_key
            order by case when country is null then 1 else 0 end, source_file, row_number
        ) as placed_number
    from {{ ref('stg_chat') }}
    where is_usable and is_english
),

placed as (
    select
        chat_key,
        country
    from english
    where placed_number = 1
),

final as (
    select
        english.chat_key,
        english.request_key,
        english.request,
        english.form,
        placed.country
    from english
    inner join placed on english.chat_key = placed.chat_key
    where english.copy_number = 1
)

select * from final
