with

matrix as (
    select * from {{ ref('int_importance_matrix') }}
    where sample_type = 'domain'
),

profiles as (
    select
        sample_name as domain,
        capability,
        {{ exact_avg('points') }} as points,
        max(n_respondents) as n_respondents
    from matrix
    group by sample_name, capability
),

over_domains as (
    select
        capability,
        {{ exact_avg('points') }} as mean_points
    from profiles
    group by capability
),

final as (
    select
        profiles.domain,
        profiles.capability,
        profiles.points,
        over_domains.mean_points,
        profiles.points - over_domains.mean_points as departure,
        profiles.n_respondents
    from profiles
    inner join over_domains on profiles.capability = over_domains.capability
)

select * from final
