with recursive

pair as (
    select
        task,
        mode,
        candidate_a,
        candidate_b
    from {{ ref('int_tournament_pair') }}
    union
    select
        'all' as task,
        mode,
        candidate_a,
        candidate_b
    from {{ ref('int_tournament_pair') }}
),

met as (
    select
        task,
        mode,
        candidate_a as candidate,
        candidate_b as other
    from pair
    union
    select
        task,
        mode,
        candidate_b as candidate,
        candidate_a as other
    from pair
),

reached as (
    select
        task,
        mode,
        candidate,
        candidate as other
    from met
    union
    select
        reached.task,
        reached.mode,
        reached.candidate,
        met.other
    from reached
    inner join met on reached.task = met.task and reached.mode = met.mode and reached.other = met.candidate
),

first_name as (
    select
        task,
        mode,
        candidate,
        min(other) as leader
    from reached
    group by task, mode, candidate
),

numbered as (
    select
        task,
        mode,
        candidate,
        dense_rank() over (partition by task, mode order by leader) as comparison_group
    from first_name
),

final as (
    select
        task,
        mode,
        candidate,
        cast(comparison_group as bigint) as comparison_group,
        cast(max(comparison_group) over (partition by task, mode) as bigint) as n_groups
    from numbered
)

select * from final
