with counted as (
    select
        case when call_id is null then 'files' else 'ledger' end as origin,
        coalesce(task, 'unknown') as task,
        coalesce(mode, 'unknown') as mode,
        coalesce(judge, 'unknown') as judge,
        sum(case when state = 'accepted' then 1 else 0 end) as n_accepted,
        sum(case when state = 'rejected' then 1 else 0 end) as n_rejected,
        sum(case when state = 'failed' then 1 else 0 end) as n_failed,
        sum(case when state = 'pending' then 1 else 0 end) as n_pending,
        sum(case when state = 'accepted' and is_own_family then 1 else 0 end) as n_own_family,
        count(*) as n
    from {{ ref('stg_tournament_verdict') }}
    group by 1, 2, 3, 4
),

final as (
    select
        origin,
        task,
        mode,
        judge,
        cast(n - n_pending as bigint) as n_sent,
        cast(n_accepted as bigint) as n_accepted,
        cast(n_rejected as bigint) as n_rejected,
        cast(n_failed as bigint) as n_failed,
        cast(n_pending as bigint) as n_pending,
        cast(n_own_family as bigint) as n_own_family
    from counted
)

select * from final
