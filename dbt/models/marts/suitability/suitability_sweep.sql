with

sweep as (
    select * from {{ ref('int_suitability_sweep') }}
),

final as (
    select
        basis,
        scope_type,
        scope,
        weighting,
        power,
        sharpness,
        weight_uncertainty,
        activity,
        system,
        is_ranked,
        mean_s_log,
        mean_log,
        q025_log,
        q975_log,
        n_respondents,
        is_thin,
        is_suppressed
    from sweep
)

select * from final
