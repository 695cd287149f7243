with

skill as (
    select distinct
        skill,
        name
    from {{ ref('int_occupation_skill') }}
),

needed as (
    select
        occupation,
        skill
    from {{ ref('int_occupation_skill') }}
    where importance >= 4 and not is_suppressed
),

used as (
    select
        needed.skill,
        count(distinct chat.chat_key) as n_chats
    from {{ ref('int_chat_occupation') }} as chat
    inner join needed on chat.occupation = needed.occupation
    group by needed.skill
),

judged as (
    select
        skill.skill as skill_id,
        skill.name as skill,
        coalesce(used.n_chats, 0) as n_chats,
        {{ to_double('coalesce(used.n_chats, 0)') }} / nullif(minimum.n_chats, 0) as share,
        coalesce(used.n_chats, 0) > 0 and coalesce(used.n_chats, 0) < minimum.min_chats as is_suppressed
    from skill
    left join used on skill.skill = used.skill
    cross join {{ ref('int_chat_minimum') }} as minimum
),

final as (
    select
        skill,
        skill_id,
        case when not is_suppressed then n_chats end as n_chats,
        case when not is_suppressed then share end as share,
        is_suppressed
    from judged
)

select * from final
