with

oews as (
    select
        oews_code,
        soc_level,
        median_wage as wage_answer,
        {{ try_double("replace(employment, ',', '')") }} as employment,
        {{ try_double("replace(median_wage, ',', '')") }} as median_wage
    from {{ source('raw', 'oews') }}
),

final as (
    select
        oews_code,
        employment,
        median_wage,
        coalesce(trim(wage_answer) = '#', false) as is_wage_top_coded
    from oews
    {# the levels above contain these #}
    where lower(soc_level) = 'detailed'
)

select * from final
