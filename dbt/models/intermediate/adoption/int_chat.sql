with

english as (
    select
        chat_key,
        request_key,
        request,
        form,
        country,
        row_number() over (partition by chat_key order by source_file, row_number) as copy_number
    from {{ ref('stg_chat') }}
    where is_usable and is_english
),

final as (
    select
        chat_key,
        request_key,
        request,
        form,
        country
    from english
    where copy_number = 1
)

select * from final
