with annotation as (
    select * from {{ source('raw', 'annotation') }}
),

pending as (
    select
        rater,
        cast(count(*) as bigint) as n_pending
    from annotation
    where status = 'pending' and not is_comparison
    group by rater
),

final as (
    select
        annotation.rater,
        annotation.model,
        annotation.mode,
        annotation.is_comparison,
        annotation.benchmark,
        annotation.item,
        annotation.item_number,
        annotation.capability,
        annotation.status,
        annotation.level,
        annotation.rubric_version,
        annotation.prompt_version,
        annotation.call_id,
        not annotation.is_comparison and pending.n_pending is null as is_used
    from annotation
    left join pending on annotation.rater = pending.rater
)

select * from final
