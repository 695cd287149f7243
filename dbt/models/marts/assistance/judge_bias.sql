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

replied as (
    select
        name as judge,
        min(answered_model) as answered_model,
        cast(sum(n_answered_models) as bigint) as n_answered_models
    from {{ ref('int_answered_model') }}
    where role = 'judge'
    group by name
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
        cast(counted.n_round_robins as bigint) as n_round_robins,
        replied.answered_model,
        coalesce(replied.n_answered_models, 0) as n_answered_models
    from counted
    left join replied on counted.judge = replied.judge
    left join intervals on counted.judge = intervals.judge and counted.bias = intervals.bias
)

select * from final
