with

chat as (
    select
        count(*) as n_all,
        coalesce(sum(case when is_usable then 1 else 0 end), 0) as n_usable,
        coalesce(sum(case when is_usable and is_english then 1 else 0 end), 0) as n_english,
        coalesce(sum(
            case when is_usable and (is_language_disputed or is_language_unknown) then 1 else 0 end
        ), 0) as n_language_unknown
    from {{ ref('stg_chat') }}
),

request as (
    select
        count(*) as n_unique,
        coalesce(sum(case when is_relevant then 1 else 0 end), 0) as n_relevant,
        coalesce(sum(case when relevance_status <> 'answered' then 1 else 0 end), 0) as n_relevance_unknown,
        coalesce(sum(case when summary_status = 'answered' then 1 else 0 end), 0) as n_summarised,
        coalesce(sum(case when summary_status <> 'answered' then 1 else 0 end), 0) as n_summary_unknown,
        count(request_key) as n_matched,
        coalesce(sum(case when confirmation_status <> 'answered' then 1 else 0 end), 0) as n_confirmation_unknown
    from {{ ref('stg_chat_request') }}
),

confirmed as (
    select coalesce(sum(n_chats), 0) as n_confirmed from {{ ref('int_task_set') }}
),

step as (
    select * from {{ ref('stg_adoption_step') }}
),

counted as (
    select
        'all' as stage,
        1 as stage_order,
        n_all as n_chats,
        n_all - n_usable as n_unknown,
        'rows that can not be used are in the rejects, and go no further' as rule
    from chat
    union all
    select
        'english' as stage,
        2 as stage_order,
        n_english as n_chats,
        n_language_unknown as n_unknown,
        'label and library; what they contradict each other about goes no further, what neither can tell '
        || '{{ "counts as English" if var("assume_english") else "goes no further either" }}' as rule
    from chat
    union all
    select
        'unique' as stage,
        3 as stage_order,
        n_unique as n_chats,
        0 as n_unknown,
        'hash of the text, blanks and case normalised' as rule
    from request
    union all
    select
        'relevant' as stage,
        4 as stage_order,
        case when step.status = 'done' then request.n_relevant else request.n_unique end as n_chats,
        request.n_relevance_unknown as n_unknown,
        step.method as rule
    from request
    inner join step on step.step = 'relevant'
    union all
    select
        'summarised' as stage,
        5 as stage_order,
        case
            when step.status = 'done' then request.n_summarised
            when relevance.status = 'done' then request.n_relevant
            else request.n_unique
        end as n_chats,
        request.n_summary_unknown as n_unknown,
        step.method as rule
    from request
    inner join step on step.step = 'summarised'
    inner join step as relevance on relevance.step = 'relevant'
    union all
    select
        'matched' as stage,
        6 as stage_order,
        request.n_matched as n_chats,
        0 as n_unknown,
        step.method as rule
    from request
    inner join step on step.step = 'matched'
    union all
    select
        'confirmed' as stage,
        7 as stage_order,
        confirmed.n_confirmed as n_chats,
        request.n_confirmation_unknown as n_unknown,
        step.method as rule
    from request
    cross join confirmed
    inner join step on step.step = 'confirmed'
),

final as (
    select
        counted.stage,
        cast(counted.stage_order as bigint) as stage_order,
        cast(counted.n_chats as bigint) as n_chats,
        case
            when coalesce(step.status, 'done') <> 'skipped'
                then
                    {{ to_double('counted.n_chats') }}
                    / nullif(lag(counted.n_chats) over (order by counted.stage_order), 0)
        end as share_of_previous,
        cast(counted.n_unknown as bigint) as n_unknown,
        coalesce(step.status, 'done') as status,
        counted.rule as method,
        step.note
    from counted
    left join step on counted.stage = step.step
)

select * from final
