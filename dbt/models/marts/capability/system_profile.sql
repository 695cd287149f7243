with profiles as (
    select * from {{ ref('capability_profile') }}
),

systems as (
    select * from {{ ref('ai_system') }}
),

geometry as (
    select * from {{ source('model', 'system_geometry') }}
),

over_dimensions as (
    select
        system,
        avg(mean_log) as mean_log,
        avg(sd_log) as mean_sd_log,
        max(rhat) as rhat_max,
        min(ess_bulk) as ess_bulk_min
    from profiles
    group by system
),

final as (
    select
        over_dimensions.system,
        systems.n_items,
        systems.accuracy,
        over_dimensions.mean_log,
        over_dimensions.mean_sd_log,
        over_dimensions.rhat_max,
        over_dimensions.ess_bulk_min,
        geometry.effective_dimensions,
        geometry.mean_abs_correlation,
        geometry.condition_number
    from over_dimensions
    inner join geometry on over_dimensions.system = geometry.system
    left join systems on over_dimensions.system = systems.system
)

select * from final
