with

interviews as (
    select * from {{ ref('int_interview') }}
),

flags as (
    select
        source_file,
        scope_type,
        scope,
        activity
    from {{ ref('int_interview_flag') }}
    where flag = 'points_not_100'
),

counted as (
    select
        interviews.scope_type,
        interviews.scope,
        interviews.activity,
        count(*) as n_started,
        sum(case when interviews.is_usable then 1 else 0 end) as n_respondents,
        sum(interviews.n_rejected) as n_rejected,
        count(flags.source_file) as n_points_not_100,
        {{ exact_avg('case when interviews.is_usable then interviews.points_not_retained end') }} as points_not_retained
    from interviews
    left join flags
        on
            interviews.source_file = flags.source_file
            and interviews.scope_type = flags.scope_type
            and interviews.scope = flags.scope
            and interviews.activity = flags.activity
    group by interviews.scope_type, interviews.scope, interviews.activity
),

final as (
    select
        scope_type,
        scope,
        activity,
        cast(n_started as bigint) as n_started,
        cast(n_respondents as bigint) as n_respondents,
        cast(n_rejected as bigint) as n_rejected,
        cast(n_points_not_100 as bigint) as n_points_not_100,
        case when n_respondents >= {{ var('min_cell') }} then points_not_retained end as points_not_retained,
        n_respondents < 5 as is_thin,
        n_respondents > 0 and n_respondents < {{ var('min_cell') }} as is_suppressed
    from counted
)

select * from final
