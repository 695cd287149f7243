with

kept as (
    select
        respondent,
        source
    from {{ ref('int_respondent_qc') }}
    where is_kept
),

activities as (
    select * from {{ ref('stg_survey_activity') }}
),

points as (
    select * from {{ ref('stg_survey_points') }}
),

selected as (
    select activities.*
    from activities
    inner join kept on activities.respondent = kept.respondent
    where activities.is_selected
),

allocations as (
    select
        selected.respondent,
        selected.activity_code,
        coalesce(sum(points.points), 0) as n_points,
        sum(case when points.is_picked or points.points > 0 then 1 else 0 end) as n_picks
    from selected
    left join points
        on
            selected.respondent = points.respondent
            and selected.activity_code = points.activity_code
    {# the respondent's own activities were not asked for points #}
    where selected.activity is not null
    group by selected.respondent, selected.activity_code
),

selection_counts as (
    select
        kept.respondent,
        count(selected.activity_code) as n_activities
    from kept
    left join selected on kept.respondent = selected.respondent
    group by kept.respondent
),

flags as (
    select
        respondent,
        'fewer_than_five_activities' as flag,
        cast(null as bigint) as activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        {{ to_double('n_activities') }} as observed
    from selection_counts
    where n_activities < 5
    union all
    select
        respondent,
        'fewer_than_five_capabilities' as flag,
        activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        {{ to_double('n_picks') }} as observed
    from allocations
    where n_picks < 5
    union all
    select
        respondent,
        'points_not_100' as flag,
        activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        n_points as observed
    from allocations
    where abs(n_points - 100) > 1e-9
    union all
    select
        selected.respondent,
        'pick_without_points' as flag,
        selected.activity_code,
        points.capability,
        points.points as observed
    from selected
    inner join points
        on
            selected.respondent = points.respondent
            and selected.activity_code = points.activity_code
    where points.is_picked and coalesce(points.points, 0) = 0
    union all
    select
        respondent,
        'repeated_rank' as flag,
        cast(null as bigint) as activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        {{ to_double('importance_rank') }} as observed
    from selected
    where importance_rank is not null
    group by respondent, importance_rank
    having count(*) > 1
    union all
    select
        respondent,
        'selected_without_rank' as flag,
        activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        cast(null as {{ type_double() }}) as observed
    from selected
    where importance_rank is null
    union all
    select
        activities.respondent,
        'ranked_without_selection' as flag,
        activities.activity_code,
        cast(null as {{ dbt.type_string() }}) as capability,
        {{ to_double('activities.importance_rank') }} as observed
    from activities
    inner join kept on activities.respondent = kept.respondent
    where not activities.is_selected and activities.importance_rank is not null
),

final as (
    select
        flags.respondent,
        kept.source,
        flags.flag,
        flags.activity_code,
        flags.capability,
        flags.observed,
        'kept' as rule
    from flags
    inner join kept on flags.respondent = kept.respondent
)

select * from final
