with

{# one firm's log alone may stand behind a cell as soon as there is any #}
final as (
    select
        {% if var('min_chats') is none -%}
        case when sum(case when form = 'log' then 1 else 0 end) > 0 then 5 else 1 end
        {%- else -%}
        {{ var('min_chats') }}
        {%- endif %} as min_chats,
        count(distinct chat_key) as n_chats,
        count(distinct case when country = 'US' then chat_key end) as n_us_chats
    from {{ ref('int_chat_match') }}
)

select * from final
