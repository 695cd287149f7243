with

skill as (
    select distinct
        skill,
        name
    from {{ ref('int_occupation_skill') }}
),

needed as (
    select
        needed.skill,
        needed.occupation,
        occupation.is_suppressed as is_withheld
    from {{ ref('int_occupation_skill') }} as needed
    inner join {{ ref('occupation_adoption') }} as occupation on needed.occupation = occupation.occupation
    where needed.is_needed
),

part as (
    select
        needed.skill,
        task_set.task_set,
        max(task_set.n_chats) as n_chats,
        max(case when needed.is_withheld then task_set.n_chats else 0 end) as n_withheld
    from {{ ref('int_task_set_occupation') }} as task_set
    inner join needed on task_set.occupation = needed.occupation
    group by
        needed.skill,
        task_set.task_set
),

used as (
    select
        skill,
        cast(sum(n_chats) as bigint) as n_chats,
        cast(sum(n_withheld) as bigint) as n_withheld
    from part
    group by skill
),

interval_of as (
    select * from {{ ref('stg_adoption_bootstrap') }}
    where quantity = 'skill_share'
),

{# which occupations need a skill is public: its chats less theirs are those of the occupations that are withheld #}
judged as (
    select
        skill.skill as skill_id,
        skill.name as skill,
        coalesce(used.n_chats, 0) as n_chats,
        {{ to_double('coalesce(used.n_chats, 0)') }} / nullif(minimum.n_chats, 0) as share,
        interval_of.low,
        interval_of.high,
        coalesce(
            {{ is_few('used.n_chats', 'minimum.min_chats') }} or {{ is_few('used.n_withheld', 'minimum.min_chats') }},
            false
        ) as is_suppressed
    from skill
    left join used on skill.skill = used.skill
    left join interval_of on skill.skill = interval_of.unit
    cross join {{ ref('int_chat_minimum') }} as minimum
),

final as (
    select
        skill,
        skill_id,
        case when not is_suppressed then n_chats end as n_chats,
        case when not is_suppressed then share end as share,
        case when not is_suppressed then low end as share_q025,
        case when not is_suppressed then high end as share_q975,
        is_suppressed
    from judged
)

select * from final
