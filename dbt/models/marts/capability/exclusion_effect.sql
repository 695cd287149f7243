with with_them as (
    select * from {{ ref('stg_exclusion_fit') }}
),

without_them as (
    select * from {{ ref('capability_profile') }}
),

answered as (
    select
        system,
        count(*) as n_excluded
    from {{ ref('int_excluded_response') }}
    group by system
),

final as (
    select
        with_them.system,
        with_them.dimension,
        cast(coalesce(answered.n_excluded, 0) as bigint) as n_excluded,
        without_them.mean_log as mean_log_without,
        with_them.mean_log as mean_log_with,
        without_them.sd_log as sd_log_without,
        with_them.sd_log as sd_log_with,
        (without_them.mean_log - with_them.mean_log) / nullif(with_them.sd_log, 0) as difference_sd,
        with_them.is_converged
    from with_them
    inner join without_them
        on with_them.system = without_them.system and with_them.dimension = without_them.dimension
    left join answered on with_them.system = answered.system
)

select * from final
