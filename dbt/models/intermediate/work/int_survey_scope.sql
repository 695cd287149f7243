with

kept as (
    select * from {{ ref('int_respondent_qc') }}
    where is_kept
),

final as (
    select
        'all' as scope_type,
        'all' as scope,
        respondent
    from kept
    union all
    select
        'domain' as scope_type,
        domain as scope,
        respondent
    from kept
    union all
    select
        'source' as scope_type,
        source as scope,
        respondent
    from kept
    union all
    select
        'company' as scope_type,
        company as scope,
        respondent
    from kept
    where company is not null
)

select * from final
