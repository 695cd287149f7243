with profiles as (
    select * from {{ ref('capability_profile') }}
),

systems as (
    select * from {{ ref('ai_system') }}
),

geometry as (
    select * from {{ ref('stg_system_geometry') }}
),

predictions as (
    select * from {{ ref('item_prediction_quality') }}
),

answered as (
    select
        system,
        sum(case when benchmark = 'all' then n_items end) as n_scored,
        max(case when benchmark = 'all' then observed end) as observed,
        max(case when benchmark = 'all' then auroc end) as auroc,
        sum(case when benchmark = 'all' then 0 else 1 end) as n_benchmarks
    from predictions
    group by system
),

-- variance of an AUROC by Hanley & McNeil (1982)
areas as (
    select
        system,
        n_scored,
        observed,
        auroc,
        n_benchmarks,
        (
            auroc * (1 - auroc)
            + (n_scored * observed - 1) * (auroc / (2 - auroc) - auroc * auroc)
            + (n_scored * (1 - observed) - 1) * (2 * auroc * auroc / (1 + auroc) - auroc * auroc)
        ) / nullif(n_scored * observed * n_scored * (1 - observed), 0) as auroc_variance
    from answered
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
        geometry.condition_number,
        areas.observed >= 1 as is_at_ceiling,
        areas.observed <= 0 as is_at_floor,
        areas.n_scored < 100 or areas.n_benchmarks < 2 as is_thin,
        areas.auroc <= 0.5
        or (areas.auroc - 0.5) * (areas.auroc - 0.5) <= 1.96 * 1.96 * areas.auroc_variance as is_no_better_than_chance
    from over_dimensions
    inner join geometry on over_dimensions.system = geometry.system
    left join systems on over_dimensions.system = systems.system
    left join areas on over_dimensions.system = areas.system
)

select * from final
