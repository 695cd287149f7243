with

oews as (
    select
        oews_code,
        soc_level,
        median_wage as wage_answer,
        {{ try_grouped_double('employment') }} as employment,
        {{ try_grouped_double('median_wage') }} as median_wage
    from {{ source('raw', 'oews') }}
),

final as (
    select
        oews_code,
        case when employment >= 0 then employment end as employment,
        case when median_wage >= 0 then median_wage end as median_wage,
        coalesce(trim(wage_answer) = '#', false) as is_wage_top_coded
    from oews
    {# the levels above contain these #}
    where lower(soc_level) = 'detailed'
)

select * from final
