with

final as (
    select
        request.task_set,
        count(*) as n_chats,
        count(case when chat.country = 'US' then 1 end) as n_us_chats,
        count(case when chat.form = 'log' then 1 end) as n_log_chats
    from {{ ref('stg_chat_request') }} as request
    inner join {{ ref('int_chat') }} as chat on request.chat_key = chat.chat_key
    where request.task_set is not null
    group by request.task_set
)

select * from final
