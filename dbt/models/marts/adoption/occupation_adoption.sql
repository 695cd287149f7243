with

interval_of as (
    select * from {{ ref('stg_adoption_bootstrap') }}
    where quantity = 'chat_share'
),

joined as (
    select
        occupation.occupation,
        occupation.title,
        occupation.major_group,
        usage.n_chats,
        usage.chat_weight,
        usage.chat_share,
        interval_of.low,
        interval_of.high,
        occupation.employment,
        occupation.employment_share,
        usage.n_tasks,
        usage.n_tasks_seen,
        usage.seen_share,
        occupation.median_wage,
        {{ is_few_chats(
            'usage.n_chats', 'usage.chat_weight', 'minimum.min_chats', 'occupation.major_group', 'occupation.occupation'
        ) }} as is_few,
        usage.n_chats > 0 and major_group.is_suppressed as is_of_suppressed_group
    from {{ ref('int_occupation') }} as occupation
    inner join {{ ref('int_occupation_adoption') }} as usage on occupation.occupation = usage.occupation
    inner join {{ ref('major_group_adoption') }} as major_group
        on occupation.major_group = major_group.major_group and major_group.country = 'all'
    left join interval_of on occupation.occupation = interval_of.unit
    cross join {{ ref('int_chat_minimum') }} as minimum
),

{# a group's total is published: what is withheld in it must be too many chats to tell, or the total is withheld too #}
judged as (
    select
        *,
        is_few or is_of_suppressed_group as is_suppressed
    from joined
),

final as (
    select
        occupation,
        title,
        major_group,
        case when not is_suppressed then n_chats end as n_chats,
        case when not is_suppressed then chat_weight end as chat_weight,
        case when not is_suppressed then chat_share end as chat_share,
        case when not is_suppressed then low end as chat_share_q025,
        case when not is_suppressed then high end as chat_share_q975,
        employment_share,
        case when not is_suppressed then chat_share / nullif(employment_share, 0) end as representation_ratio,
        case
            when not is_suppressed then 1e6 * chat_weight / nullif(employment, 0)
        end as chat_weight_per_million_workers,
        n_tasks,
        case when not is_suppressed then n_tasks_seen end as n_tasks_seen,
        case when not is_suppressed then seen_share end as seen_share,
        median_wage,
        is_suppressed
    from judged
)

select * from final
