with result_item as (
    select *
    from {{ ref('int_result_item') }}
    where is_valid
),

final as (
    select
        system,
        benchmark,
        item,
        case
            when sum(case when status = 'scored' then 1 else 0 end) > 0 then 'scored'
            when sum(case when status = 'unscored' then 1 else 0 end) > 0 then 'unscored'
            else 'errored'
        end as status,
        avg(score) as score,
        cast(sum(case when status = 'scored' then 1 else 0 end) as bigint) as n_attempts
    from result_item
    group by system, benchmark, item
)

select * from final
