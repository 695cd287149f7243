with

departures as (
    select * from {{ ref('int_domain_departure') }}
),

final as (
    select
        domain,
        capability,
        departure,
        points,
        mean_points,
        n_respondents,
        n_respondents < 5 as is_thin
    from departures
)

select * from final
