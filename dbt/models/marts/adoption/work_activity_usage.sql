with

judged as (
    select
        usage.*,
        {{ is_few_chats(
            'usage.n_chats', 'usage.n_chats', 'minimum.min_chats', 'usage.level, activity.parent_id', 'usage.activity_id'
        ) }} as is_suppressed
    from {{ ref('int_work_activity_usage') }} as usage
    inner join {{ ref('int_work_activity') }} as activity
        on usage.level = activity.level and usage.activity_id = activity.activity_id
    cross join {{ ref('int_chat_minimum') }} as minimum
),

final as (
    select
        level,
        activity_id,
        name,
        case when not is_suppressed then n_chats end as n_chats,
        case when not is_suppressed then share end as share,
        is_suppressed
    from judged
)

select * from final
