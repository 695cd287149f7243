with

final as (
    select
        chat_key,
        {{ first_by('request_key', ['source_file', 'row_number']) }} as request_key,
        {{ first_by('form', ['source_file', 'row_number']) }} as form,
        {{ first_by('country', ['source_file', 'row_number']) }} as country
    from {{ ref('stg_chat') }}
    where is_usable and is_english
    group by chat_key
)

select * from final
