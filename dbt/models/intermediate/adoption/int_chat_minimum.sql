with

{# one firm's log alone may stand behind a cell as soon as there is any #}
counted as (
    select
        {% if var('min_chats') is none -%}
        case when sum(n_log_chats) > 0 then 5 else 1 end
        {%- else -%}
        {{ var('min_chats') }}
        {%- endif %} as min_chats,
        cast(coalesce(sum(n_chats), 0) as bigint) as n_chats,
        cast(coalesce(sum(n_us_chats), 0) as bigint) as n_us_chats
    from {{ ref('int_task_set') }}
),

log as (
    select count(*) as n_logged from {{ ref('int_chat') }}
),

{# no log is no log without use #}
final as (
    select
        counted.min_chats,
        counted.n_chats,
        counted.n_us_chats
    from counted
    cross join log
    where log.n_logged > 0
)

select * from final
