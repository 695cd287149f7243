with predictions as (
    select * from {{ ref('stg_item_prediction') }}
),

binned as (
    select
        system,
        score,
        predicted,
        case when predicted >= 1 then 9 else cast(floor(predicted * 10) as bigint) end as bin
    from predictions
),

final as (
    select
        system,
        cast(bin as bigint) as bin,
        cast(count(*) as bigint) as n_items,
        {{ exact_avg('predicted') }} as predicted,
        {{ exact_avg('score') }} as observed
    from binned
    group by system, bin
)

select * from final
