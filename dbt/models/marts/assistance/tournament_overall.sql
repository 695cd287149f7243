with overall as (
    select * from {{ ref('int_tournament_overall') }}
),

bradley_terry as (
    select
        *,
        case
            when log_strength is not null
                then rank() over (
                    partition by mode, case when log_strength is null then 1 else 0 end
                    order by {{ nine_decimals('log_strength') }} desc
                )
        end as place
    from {{ ref('stg_bradley_terry') }}
    where task = 'all'
),

final as (
    select
        overall.mode,
        overall.candidate,
        overall.mean_rank,
        overall.se_rank,
        cast(overall.rank as bigint) as rank,
        cast(overall.rank_by_mean as bigint) as rank_by_mean,
        overall.mean_rank_scaled,
        cast(overall.rank_scaled as bigint) as rank_scaled,
        overall.win_share,
        overall.weighted_win_share,
        overall.mean_score_rank,
        bradley_terry.log_strength as bt_log_strength,
        bradley_terry.low as bt_low,
        bradley_terry.high as bt_high,
        cast(bradley_terry.place as bigint) as bt_rank,
        overall.n_tasks,
        overall.n_tasks_missing,
        overall.n_runs,
        overall.n_comparisons,
        overall.n_missing,
        overall.n_one_seat,
        overall.comparison_group,
        overall.n_groups,
        overall.behind_unaided,
        overall.behind_unaided_se,
        overall.is_unaided,
        {{ order_warning('rank_by_mean', 'rank_scaled', 'place', 'log_strength', 'low', 'reason', [
            counted('overall.n_missing', 'overall.n_missing + overall.n_comparisons', 'comparisons missing'),
            apart('overall.n_groups'),
            counted('overall.n_one_seat', 'overall.n_comparisons', 'comparisons by judges that always chose one seat'),
            counted('overall.n_tasks_missing', 'overall.n_tasks_missing + overall.n_tasks', 'tasks without a rank'),
        ]) }} as warning
    from overall
    left join bradley_terry on overall.mode = bradley_terry.mode and overall.candidate = bradley_terry.candidate
)

select * from final
