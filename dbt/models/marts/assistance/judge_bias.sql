with counted as (
    select
        judge,
        bias,
        sum(n_hits) as n_hits,
        sum(n) as n,
        count(*) as n_round_robins
    from {{ ref('int_tournament_bias') }}
    group by judge, bias
),

intervals as (
    select * from {{ ref('stg_judge_bias') }}
),

final as (
    select
        counted.judge,
        counted.bias,
        counted.n_hits / nullif(counted.n, 0) as share,
        intervals.q025,
        intervals.q975,
        cast(counted.n as bigint) as n,
        intervals.interval,
        cast(counted.n_round_robins as bigint) as n_round_robins
    from counted
    left join intervals on counted.judge = intervals.judge and counted.bias = intervals.bias
)

select * from final
