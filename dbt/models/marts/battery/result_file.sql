with result as (
    select * from {{ ref('stg_result') }}
),

counted as (
    select
        source_file,
        -- a file has one system; a log one task
        min(system) as system,
        max(log_status) as log_status,
        max(model) as model,
        min(answered_model) as answered_model,
        count(distinct answered_model) as n_answered_models,
        {# a date or version behind the name asked for is the same model; so is a provider in front #}
        max(case when {{ last_part('answered_model') }} not like {{ last_part('model') }} || '%' then 1 else 0 end) = 1
            as is_other_model,
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
        cast(n_scored as bigint) as n_scored,
        model,
        answered_model,
        cast(n_answered_models as bigint) as n_answered_models,
        is_other_model or n_answered_models > 1 as is_other_model
    from counted
)

select * from final
