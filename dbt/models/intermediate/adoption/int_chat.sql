with

final as (
    {# by content alone: which file holds a copy, and in which row, may change and say nothing #}
    select
        chat_key,
        min(request_key) as request_key,
        case when count(case when form = 'log' then 1 end) > 0 then 'log' else min(form) end as form,
        case when min(country) = max(country) then min(country) end as country
    from {{ ref('stg_chat') }}
    where is_usable and is_english
    group by chat_key
)

select * from final
