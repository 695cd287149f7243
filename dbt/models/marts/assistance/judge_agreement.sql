with pair as (
    select
        task,
        mode,
        n_a,
        n_b,
        n_tie,
        n_a + n_b + n_tie as n_judges
    from {{ ref('int_tournament_pair') }}
),

counted as (
    select
        task,
        mode,
        count(*) as n_comparisons,
        sum(n_judges * (n_judges - 1)) as n_ordered,
        sum(n_a * (n_a - 1) + n_b * (n_b - 1) + n_tie * (n_tie - 1)) as n_alike
    from pair
    where n_judges > 1
    group by task, mode
),

alpha as (
    select * from {{ ref('stg_judge_alpha') }}
),

final as (
    select
        alpha.scope_type,
        alpha.scope,
        alpha.mode,
        {{ to_double('sum(counted.n_alike)') }} / nullif(sum(counted.n_ordered), 0) as agreement_share,
        alpha.krippendorff_alpha,
        cast(coalesce(sum(counted.n_comparisons), 0) as bigint) as n_comparisons,
        cast(coalesce(sum(counted.n_ordered), 0) / 2 as bigint) as n_decisions
    from alpha
    left join counted
        on
            (alpha.scope_type <> 'task' or alpha.scope = counted.task)
            and (alpha.mode = 'all' or alpha.mode = counted.mode)
    group by alpha.scope_type, alpha.scope, alpha.mode, alpha.krippendorff_alpha
)

select * from final
