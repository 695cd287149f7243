{% set levels = ['DWA', 'IWA', 'GWA'] %}
with

minimum as (
    select * from {{ ref('int_chat_minimum') }}
),

link as (
    select * from {{ ref('int_task_work_activity') }}
),

task_set_text as (
    select * from {{ ref('int_task_set_text') }}
),

{# O*NET's links are public: an activity less those of its parts that are shown tells of those that are withheld #}
withheld_text as (
    select distinct task.task_text_id
    from {{ ref('int_occupation_task') }} as task
    inner join {{ ref('occupation_adoption') }} as occupation on task.occupation = occupation.occupation
    where occupation.is_suppressed
),

withheld_set as (
    select distinct
        link.level,
        link.activity_id,
        task_set_text.task_set,
        task_set_text.n_chats
    from withheld_text
    inner join link on withheld_text.task_text_id = link.task_text_id
    inner join task_set_text on link.task_text_id = task_set_text.task_text_id
),

withheld_occupation as (
    select
        level,
        activity_id,
        sum(n_chats) as n_chats
    from withheld_set
    group by
        level,
        activity_id
),
{% for level in levels %}
{% set is_whole = not loop.first %}
{% if is_whole %}
withheld_set_{{ loop.previtem | lower }} as (
    select distinct
        part.parent_id,
        task_set_text.task_set,
        task_set_text.n_chats
    from {{ loop.previtem | lower }} as part
    inner join link on part.level = link.level and part.activity_id = link.activity_id
    inner join task_set_text on link.task_text_id = task_set_text.task_text_id
    where part.is_suppressed
),

withheld_{{ loop.previtem | lower }} as (
    select
        parent_id,
        sum(n_chats) as n_chats
    from withheld_set_{{ loop.previtem | lower }}
    group by parent_id
),
{% endif %}
told_{{ level | lower }} as (
    select
        usage.*,
        activity.parent_id,
        minimum.min_chats,
        least(
            usage.n_chats,
            coalesce(withheld_occupation.n_chats, usage.n_chats)
            {%- if is_whole %},
            coalesce(withheld_part.n_chats, usage.n_chats)
            {%- endif %}
        ) as n_told
    from {{ ref('int_work_activity_usage') }} as usage
    inner join {{ ref('int_work_activity') }} as activity
        on usage.level = activity.level and usage.activity_id = activity.activity_id
    left join withheld_occupation
        on usage.level = withheld_occupation.level and usage.activity_id = withheld_occupation.activity_id
    {% if is_whole -%}
    left join withheld_{{ loop.previtem | lower }} as withheld_part on usage.activity_id = withheld_part.parent_id
    {% endif -%}
    cross join minimum
    where usage.level = '{{ level }}'
),

{{ level | lower }} as (
    select
        *,
        {{ is_few_chats('n_told', 'n_told', 'min_chats', 'parent_id', 'activity_id') }} as is_suppressed
    from told_{{ level | lower }}
),
{% endfor %}
judged as (
    {% for level in levels %}
    select * from {{ level | lower }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

interval_of as (
    select * from {{ ref('stg_adoption_bootstrap') }}
    where quantity = 'activity_share'
),

{# nor is a part shown of what is withheld #}
known as (
    select
        judged.*,
        interval_of.low,
        interval_of.high,
        judged.n_chats > 0 and (
            judged.is_suppressed or coalesce(above.is_suppressed, false) or coalesce(top.is_suppressed, false)
        ) as is_withheld
    from judged
    left join judged as above on judged.parent_id = above.activity_id
    left join judged as top on above.parent_id = top.activity_id
    left join interval_of on judged.activity_id = interval_of.unit
),

final as (
    select
        level,
        activity_id,
        name,
        case when not is_withheld then n_chats end as n_chats,
        case when not is_withheld then share end as share,
        case when not is_withheld then low end as share_q025,
        case when not is_withheld then high end as share_q975,
        is_withheld as is_suppressed
    from known
)

select * from final
