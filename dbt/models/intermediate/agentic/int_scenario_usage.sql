with

occupation_task as (
    select distinct
        task_id,
        task_text_id
    from {{ ref('int_occupation_task') }}
),

task as (
    select
        member.scenario,
        occupation_task.task_id,
        coalesce(usage.n_chats, 0) as n_chats
    from {{ ref('stg_scenario_member') }} as member
    left join occupation_task on member.member = occupation_task.task_id
    left join {{ ref('int_task_text_usage') }} as usage on occupation_task.task_text_id = usage.task_text_id
    where member.kind = 'task'
),

index_size as (
    select sum(n_chats) as n_chats from {{ ref('int_task_text_usage') }}
),

{# the paper counts a task as used from 4 chats on; where cells of fewer than more may not be shown, from those #}
least as (
    select case when min_chats > 4 then min_chats else 4 end as n_chats from {{ ref('int_chat_minimum') }}
),

final as (
    select
        task.scenario,
        cast(count(*) as bigint) as n_tasks,
        cast(sum(case when task.task_id is null then 1 else 0 end) as bigint) as n_unknown_tasks,
        case
            when max(index_size.n_chats) > 0 and count(*) = count(task.task_id)
                then min(case when task.n_chats >= least.n_chats then 1 else 0 end) = 1
        end as is_used
    from task
    cross join index_size
    cross join least
    group by task.scenario
)

select * from final
