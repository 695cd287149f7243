{% set min_progress = 100 %}
{% set min_quiz_correct = 3 %}
{% set min_duration_seconds = 600 %}

with

respondents as (
    select * from {{ ref('stg_respondent') }}
),

judged as (
    select
        *,
        {# an unknown figure fails its rule: nobody is kept for want of an answer #}
        case
            when mark is not null then mark
            when domain is null then 'no_domain'
            when progress is null then 'unknown'
            when progress < {{ min_progress }} then 'incomplete'
            when quiz_correct is null or quiz_correct < {{ min_quiz_correct }} then 'quiz'
            when duration_seconds is null then 'unknown'
            when duration_seconds < {{ min_duration_seconds }} then 'speed'
        end as removed_by
    from respondents
),

final as (
    select
        respondent,
        source,
        company,
        domain,
        progress,
        quiz_correct,
        duration_seconds,
        removed_by,
        removed_by is null as is_kept
    from judged
)

select * from final
