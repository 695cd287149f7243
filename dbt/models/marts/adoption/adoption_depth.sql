with

threshold as (
    {% for n in var('depth_chats') %}
    select cast({{ n }} as bigint) as min_chats
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

task_share as (
    {% for step in range(21) %}
    select cast({{ step }} as bigint) as step
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

seen as (
    select
        threshold.min_chats,
        task.occupation,
        count(*) as n_tasks,
        sum(case when text_usage.n_chats >= threshold.min_chats then 1 else 0 end) as n_seen
    from {{ ref('int_occupation_task') }} as task
    left join {{ ref('int_task_text_usage') }} as text_usage on task.task_text_id = text_usage.task_text_id
    cross join threshold
    group by
        threshold.min_chats,
        task.occupation
),

counted as (
    select
        seen.min_chats,
        task_share.step,
        count(*) as n_all,
        sum(case when seen.n_seen * 20 >= task_share.step * seen.n_tasks then 1 else 0 end) as n_occupations
    from seen
    cross join task_share
    group by
        seen.min_chats,
        task_share.step
),

interval_of as (
    select * from {{ ref('stg_adoption_bootstrap') }}
    where quantity = 'depth'
),

judged as (
    select
        counted.*,
        interval_of.low,
        interval_of.high,
        counted.min_chats < minimum.min_chats as is_suppressed
    from counted
    cross join {{ ref('int_chat_minimum') }} as minimum
    left join interval_of on counted.min_chats = interval_of.min_chats and counted.step = interval_of.step
),

final as (
    select
        min_chats,
        {{ to_double('step') }} / 20 as task_share,
        case when not is_suppressed then {{ to_double('n_occupations') }} / n_all end as occupation_share,
        case when not is_suppressed then low end as occupation_share_q025,
        case when not is_suppressed then high end as occupation_share_q975,
        case when not is_suppressed then cast(n_occupations as bigint) end as n_occupations,
        is_suppressed
    from judged
)

select * from final
