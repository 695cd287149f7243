with

answers as (
    select * from {{ ref('stg_interview') }}
),

retained as (
    select capability
    from {{ ref('int_capability_retention') }}
    where is_retained
),

final as (
    select
        answers.source_file,
        answers.scope_type,
        answers.scope,
        answers.activity,
        {# nothing but blank and rejected rows is no opinion, and no interview with 0 points everywhere #}
        count(answers.points) > 0 as is_usable,
        cast(sum(case when answers.reason is not null then 1 else 0 end) as bigint) as n_rejected,
        sum(answers.points) as points,
        sum(case when answers.points is not null and retained.capability is null then answers.points else 0 end)
            as points_not_retained
    from answers
    left join retained on answers.capability = retained.capability
    group by answers.source_file, answers.scope_type, answers.scope, answers.activity
)

select * from final
