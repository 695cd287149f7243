with task_rank as (
    select * from {{ ref('int_tournament_rank') }}
),

behind as (
    select
        task,
        mode,
        min(mean_rank) as mean_rank
    from task_rank
    where rank > 1
    group by task, mode
),

final as (
    select
        task_rank.task,
        task_rank.mode,
        task_rank.candidate,
        task_rank.mean_rank,
        task_rank.se_rank,
        task_rank.is_unaided,
        behind.mean_rank - task_rank.mean_rank as lead_rank,
        cast(count(*) over (partition by task_rank.task, task_rank.mode) as bigint) as n_best
    from task_rank
    left join behind on task_rank.task = behind.task and task_rank.mode = behind.mode
    {# groups that never met have no common best #}
    where task_rank.rank = 1 and coalesce(task_rank.n_groups, 1) = 1
)

select * from final
