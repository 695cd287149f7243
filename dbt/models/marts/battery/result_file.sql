with result as (
    select * from {{ ref('stg_result') }}
),

counted as (
    select
        source_file,
        -- a file has one system; a log one task
        min(system) as system,
        max(log_status) as log_status,
        max(n_asked) as n_told,
        count(*) as n_rows,
        sum(case when is_missing then 0 else 1 end) as n_there,
        sum(case when status = 'scored' then 1 else 0 end) as n_scored
    from result
    group by source_file
),

final as (
    select
        source_file,
        system,
        log_status,
        cast(coalesce(n_told, n_rows) as bigint) as n_asked,
        cast(n_there as bigint) as n_there,
        cast(coalesce(n_told, n_rows) - n_there as bigint) as n_missing,
        cast(n_scored as bigint) as n_scored
    from counted
)

select * from final
