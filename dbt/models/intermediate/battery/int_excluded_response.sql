with final as (
    select
        system,
        benchmark,
        item,
        avg(score) as score,
        cast(count(*) as bigint) as n_attempts
    from {{ ref('int_result_item') }}
    where is_left_out and status = 'scored'
    group by system, benchmark, item
)

select * from final
