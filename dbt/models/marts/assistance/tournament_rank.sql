with task_rank as (
    select * from {{ ref('int_tournament_rank') }}
),

bradley_terry as (
    select
        *,
        case
            when log_strength is not null
                then rank() over (
                    partition by task, mode, case when log_strength is null then 1 else 0 end
                    order by {{ nine_decimals('log_strength') }} desc
                )
        end as place
    from {{ ref('stg_bradley_terry') }}
    where task <> 'all'
),

leak as (
    select
        task,
        candidate,
        count(*) as n_leaking
    from {{ ref('stg_assistance_leak') }}
    group by task, candidate
),

final as (
    select
        task_rank.task,
        task_rank.mode,
        task_rank.candidate,
        task_rank.mean_rank,
        task_rank.se_rank,
        cast(task_rank.rank as bigint) as rank,
        task_rank.win_share,
        task_rank.weighted_win_share,
        task_rank.n_runs,
        task_rank.n_comparisons,
        task_rank.n_missing,
        task_rank.n_one_seat,
        task_rank.comparison_group,
        task_rank.n_groups,
        cast(coalesce(leak.n_leaking, 0) as bigint) as n_leaking,
        task_rank.is_unaided,
        task_rank.mean_rank_scaled,
        cast(task_rank.rank_scaled as bigint) as rank_scaled,
        task_rank.score_z,
        task_rank.mean_score_rank,
        cast(task_rank.score_rank as bigint) as score_rank,
        bradley_terry.log_strength as bt_log_strength,
        bradley_terry.low as bt_low,
        bradley_terry.high as bt_high,
        cast(bradley_terry.place as bigint) as bt_rank,
        {{ order_warning(
            'task_rank.rank', 'task_rank.rank_scaled', 'bradley_terry.place', 'bradley_terry.log_strength',
            'bradley_terry.low', 'bradley_terry.reason', [
            counted('task_rank.n_missing', 'task_rank.n_missing + task_rank.n_comparisons', 'comparisons missing'),
            apart('task_rank.n_groups'),
            counted('task_rank.n_one_seat', 'task_rank.n_comparisons', 'comparisons by judges that always chose one seat'),
            counted('leak.n_leaking', 'task_rank.n_runs', 'texts of help hold the deliverable'),
        ]) }} as warning
    from task_rank
    left join bradley_terry
        on
            task_rank.task = bradley_terry.task
            and task_rank.mode = bradley_terry.mode
            and task_rank.candidate = bradley_terry.candidate
    left join leak
        on
            task_rank.mode = 'augmentation'
            and task_rank.task = leak.task
            and task_rank.candidate = leak.candidate
)

select * from final
