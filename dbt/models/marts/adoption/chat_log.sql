with

chat as (
    select
        source_file,
        min(given.at) as first_at,
        max(given.at) as last_at,
        sum(case when is_language_disputed then 1 else 0 end) as n_language_disputed
    from {{ ref('stg_chat') }} as given
    group by source_file
),

final as (
    select
        chat_file.source_file,
        chat_file.form,
        chat_file.n_rows,
        chat_file.n_unusable,
        chat_file.n_cut,
        chat_file.n_masked,
        chat_file.n_no_country,
        cast(coalesce(chat.n_language_disputed, 0) as bigint) as n_language_disputed,
        chat.first_at,
        chat.last_at
    from {{ ref('stg_chat_file') }} as chat_file
    left join chat on chat_file.source_file = chat.source_file
)

select * from final
