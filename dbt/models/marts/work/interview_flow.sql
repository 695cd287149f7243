with final as (
    select
        scope_type,
        scope,
        activity,
        n_started,
        n_respondents,
        n_rejected,
        n_points_not_100,
        points_not_retained,
        is_thin,
        is_suppressed
    from {{ ref('int_disclosed_interview') }}
)

select * from final
