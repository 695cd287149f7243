with annotation as (
    select * from {{ source('raw', 'annotation') }}
),

{# one of whom nothing came back (all failed, say) has rated nothing, and must not empty the battery #}
rater as (
    select
        rater,
        sum(case when status = 'pending' then 1 else 0 end) = 0
        and sum(case when status = 'answered' then 1 else 0 end) > 0 as is_complete
    from annotation
    where not is_comparison and is_wanted
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
        not annotation.is_comparison and annotation.is_wanted and coalesce(rater.is_complete, false) as is_used
    from annotation
    left join rater on annotation.rater = rater.rater
)

select * from final
