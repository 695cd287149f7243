with standing as (
    select * from {{ ref('int_tournament_standing') }}
),

averaged as (
    select
        task,
        mode,
        run,
        candidate,
        {{ exact_avg('judge_rank') }} as mean_rank,
        {{ exact_avg('judge_rank_scaled') }} as mean_rank_scaled,
        {{ exact_avg('win_share') }} as win_share,
        {{ exact_avg('weighted_win_share') }} as weighted_win_share,
        {{ exact_avg('score_z') }} as score_z,
        cast(count(*) as bigint) as n_judges,
        cast(sum(n_comparisons) as bigint) as n_comparisons,
        coalesce(max(comparison_group), 1) as comparison_group,
        coalesce(max(n_groups), 1) as n_groups
    from standing
    group by task, mode, run, candidate
),

ranked as (
    select
        *,
        {{ average_rank('task, mode, run, comparison_group', 'score_z', 'desc') }} as score_rank
    from averaged
    where score_z is not null
),

final as (
    select
        averaged.task,
        averaged.mode,
        averaged.run,
        averaged.candidate,
        averaged.mean_rank,
        averaged.mean_rank_scaled,
        averaged.win_share,
        averaged.weighted_win_share,
        averaged.score_z,
        {{ to_double('ranked.score_rank') }} as score_rank,
        averaged.n_judges,
        averaged.n_comparisons,
        averaged.comparison_group,
        averaged.n_groups,
        averaged.mode = 'augmentation' and coalesce(candidates.is_worker, false) as is_unaided,
        coalesce(candidates.is_worker, false) as is_worker
    from averaged
    left join ranked
        on
            averaged.task = ranked.task
            and averaged.mode = ranked.mode
            and averaged.run = ranked.run
            and averaged.candidate = ranked.candidate
    left join {{ ref('stg_candidate') }} as candidates on averaged.candidate = candidates.candidate
)

select * from final
