with comparison as (
    select * from {{ ref('int_tournament_comparison') }}
),

decided as (
    select
        judge,
        choice,
        count(*) as n
    from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted' and not is_own_family and choice <> 'tie'
    group by judge, choice
),

one_seat as (
    select
        judge,
        min(choice) as seat
    from decided
    group by judge
    {# six fair choices are alike once in 32 #}
    having count(*) = 1 and sum(n) >= 6
),

side as (
    select
        task,
        mode,
        judge,
        candidate_a as candidate
    from comparison
    union all
    select
        task,
        mode,
        judge,
        candidate_b as candidate
    from comparison
),

final as (
    select
        side.task,
        side.mode,
        side.candidate,
        cast(count(*) as bigint) as n_one_seat
    from side
    inner join one_seat on side.judge = one_seat.judge
    group by side.task, side.mode, side.candidate
)

select * from final
