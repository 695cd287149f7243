with

interviews as (
    select * from {{ ref('int_interview') }}
),

final as (
    select
        source_file,
        scope_type,
        scope,
        activity,
        'points_not_100' as flag,
        points as observed,
        'kept' as rule
    from interviews
    where is_usable and abs(points - 100) > 1e-9
    union all
    select
        source_file,
        scope_type,
        scope,
        activity,
        'no_usable_points' as flag,
        cast(null as {{ type_double() }}) as observed,
        'left out' as rule
    from interviews
    where not is_usable
)

select * from final
