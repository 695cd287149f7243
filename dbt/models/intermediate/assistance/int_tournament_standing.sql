with comparison as (
    select * from {{ ref('int_tournament_comparison') }}
),

side as (
    select
        task,
        mode,
        run,
        judge,
        candidate_a as candidate,
        case outcome when 'a' then 2 when 'tie' then 1 else 0 end as half_wins,
        share_a as share,
        score_a as score
    from comparison
    union all
    select
        task,
        mode,
        run,
        judge,
        candidate_b as candidate,
        case outcome when 'b' then 2 when 'tie' then 1 else 0 end as half_wins,
        1 - share_a as share,
        score_b as score
    from comparison
),

share as (
    select
        task,
        mode,
        run,
        judge,
        candidate,
        cast(count(*) as bigint) as n_comparisons,
        {{ to_double('sum(half_wins)') }} / (2 * count(*)) as win_share,
        {{ exact_avg('share') }} as weighted_win_share,
        {{ exact_avg('score') }} as mean_score
    from side
    group by task, mode, run, judge, candidate
),

{# those that never met, not even by way of others, have no place among each other #}
grouped as (
    select
        share.*,
        coalesce(groups.comparison_group, 1) as comparison_group,
        coalesce(groups.n_groups, 1) as n_groups
    from share
    left join {{ ref('int_tournament_group') }} as groups
        on share.task = groups.task and share.mode = groups.mode and share.candidate = groups.candidate
),

pool as (
    select
        *,
        count(*) over (partition by task, mode, run, judge, comparison_group) as n_pool,
        avg(mean_score) over (partition by task, mode, run, judge, comparison_group) as pool_score,
        stddev_samp(mean_score) over (partition by task, mode, run, judge, comparison_group) as pool_score_sd,
        {{ average_rank('task, mode, run, judge, comparison_group', 'win_share', 'desc') }} as judge_rank
    from grouped
),

final as (
    select
        task,
        mode,
        run,
        judge,
        candidate,
        n_comparisons,
        win_share,
        weighted_win_share,
        mean_score,
        {{ to_double('judge_rank') }} as judge_rank,
        {{ to_double('judge_rank - 1') }} / nullif(n_pool - 1, 0) as judge_rank_scaled,
        case when pool_score_sd > 1e-9 then (mean_score - pool_score) / pool_score_sd end as score_z,
        cast(n_pool as bigint) as n_pool,
        comparison_group,
        n_groups
    from pool
)

select * from final
