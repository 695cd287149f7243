with

spellings as (
    select company as spelling
    from {{ source('raw', 'survey_response') }}
    where company is not null
    union distinct
    select company as spelling
    from {{ source('raw', 'interview') }}
    where company is not null
),

final as (
    select
        spelling,
        min(spelling) over (partition by lower(spelling)) as company
    from spellings
)

select * from final
