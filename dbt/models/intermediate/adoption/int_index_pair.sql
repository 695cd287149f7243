with

matched as (
    select * from {{ ref('int_index_match') }}
    where matched_unit is not null
),

by_task as (
    select distinct index_name
    from {{ ref('stg_index_value') }}
    where level = 'task'
),

task as (
    select
        occupation,
        task_id,
        task_text_id,
        count(*) over (partition by task_text_id) as n_statements,
        count(*) over (partition by occupation) as n_tasks
    from {{ ref('int_occupation_task') }}
),

occupation as (
    select * from {{ ref('int_occupation') }}
),

adoption as (
    select * from {{ ref('int_occupation_adoption') }}
),

iwa as (
    select
        activity_id,
        task_text_id
    from {{ ref('int_task_work_activity') }}
    where level = 'IWA'
),

{# a text that several statements have is divided over them, as our chats are #}
occupation_value as (
    select
        matched.index_name,
        task.occupation,
        {{ exact_sum('matched.value / task.n_statements') }} as value
    from matched
    inner join task on matched.matched_unit = task.task_text_id
    where matched.level = 'task'
    group by
        matched.index_name,
        task.occupation
),

iwa_value as (
    select
        matched.index_name,
        iwa.activity_id,
        {{ exact_sum('matched.value') }} as value
    from matched
    inner join iwa on matched.matched_unit = iwa.task_text_id
    where matched.level = 'task'
    group by
        matched.index_name,
        iwa.activity_id
    union all
    select
        index_name,
        matched_unit as activity_id,
        {{ exact_sum('value') }} as value
    from matched
    where level = 'IWA'
    group by
        index_name,
        matched_unit
),

{# people stand behind an activity as far as it is among their task statements #}
iwa_employment as (
    select
        iwa.activity_id,
        {{ exact_sum('occupation.employment / task.n_tasks') }} as employment
    from iwa
    inner join task on iwa.task_text_id = task.task_text_id
    inner join occupation on task.occupation = occupation.occupation
    group by iwa.activity_id
),

iwa_usage as (
    select
        used.activity_id,
        used.share,
        coalesce(iwa_employment.employment, {{ to_double('0') }}) as employment
    from {{ ref('int_work_activity_usage') }} as used
    left join iwa_employment on used.activity_id = iwa_employment.activity_id
    where used.level = 'IWA'
),

soc as (
    select
        substring(occupation.occupation, 1, 7) as unit,
        {{ to_double('sum(adoption.n_tasks_seen)') }} / sum(adoption.n_tasks) as seen_share,
        {{ exact_sum('occupation.employment') }} as employment
    from occupation
    inner join adoption on occupation.occupation = adoption.occupation
    group by substring(occupation.occupation, 1, 7)
),

chats as (
    select n_chats from {{ ref('int_chat_minimum') }}
),

final as (
    {# a release lists no task that few conversations have: what it leaves out is used least #}
    select
        by_task.index_name,
        'occupation' as level,
        adoption.occupation as unit,
        'chat_share' as our_measure,
        coalesce(occupation_value.value, {{ to_double('0') }}) as theirs,
        adoption.chat_share as ours,
        coalesce(occupation.employment, {{ to_double('0') }}) as weight
    from by_task
    cross join adoption
    inner join occupation on adoption.occupation = occupation.occupation
    left join occupation_value
        on by_task.index_name = occupation_value.index_name and adoption.occupation = occupation_value.occupation
    union all
    select
        by_task.index_name,
        'IWA' as level,
        iwa_usage.activity_id as unit,
        'share' as our_measure,
        coalesce(iwa_value.value, {{ to_double('0') }}) as theirs,
        iwa_usage.share as ours,
        iwa_usage.employment as weight
    from by_task
    cross join iwa_usage
    left join iwa_value
        on by_task.index_name = iwa_value.index_name and iwa_usage.activity_id = iwa_value.activity_id
    union all
    select
        iwa_value.index_name,
        'IWA' as level,
        iwa_usage.activity_id as unit,
        'share' as our_measure,
        iwa_value.value as theirs,
        iwa_usage.share as ours,
        iwa_usage.employment as weight
    from iwa_value
    inner join iwa_usage on iwa_value.activity_id = iwa_usage.activity_id
    left join by_task on iwa_value.index_name = by_task.index_name
    where by_task.index_name is null
    union all
    select
        matched.index_name,
        'SOC' as level,
        soc.unit,
        'seen_share' as our_measure,
        matched.value as theirs,
        case when chats.n_chats > 0 then soc.seen_share end as ours,
        coalesce(soc.employment, {{ to_double('0') }}) as weight
    from matched
    inner join soc on matched.matched_unit = soc.unit
    cross join chats
    where matched.level = 'SOC'
)

select * from final
