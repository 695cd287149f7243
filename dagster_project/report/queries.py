"""SQL that narrows a mart before it becomes a frame, where it grows with systems times settings.

Belongs here: those queries. Does not belong here: the list of marts and columns (data.py), what is made of them
(sweep.py).
"""

# systems that the page on policies draws, and a place that counts as being near the first
DRAWN, NEAR = 12, 3

# The fitted rows of the systems that most settings put near the first, with `place` of each (NULL for people), and
# whoever is first (`first`) of how many (`n_ranked`), over all AI systems. Places go by the certain weights, estimates
# hold the weights' sampling error; where a scope was swept under one of the two only, that one serves for both.
SWEEP = f"""
with fitted as (
    select *, weight_uncertainty = 'none' as is_certain from marts.suitability_sweep where basis = 'fitted'
),
scope_ as (
    select scope_type, scope, bool_or(is_certain) as has_certain, bool_or(not is_certain) as has_sampled
    from fitted group by scope_type, scope
),
placed as materialized (
    select
        scope_type, scope, weighting, power, sharpness, activity, system,
        row_number() over (
            partition by scope_type, scope, weighting, power, sharpness, activity order by mean_s_log desc, system
        ) as place
    from fitted join scope_ using (scope_type, scope)
    where is_certain = has_certain and is_ranked and mean_s_log is not null
),
first_ as (
    select
        scope_type, scope, weighting, power, sharpness, activity,
        max(system) filter (place = 1) as first, count(*) as n_ranked
    from placed group by all
),
chosen as (
    select fitted.system
    from (select system, max(mean_s_log) as highest from fitted group by system) as fitted
    left join (select system, count(*) as n_near from placed where place <= {NEAR} group by system) as near
        using (system)
    order by coalesce(n_near, 0) desc, highest desc nulls last, system
    limit {DRAWN}
)
select
    scope_type, scope, weighting, power, sharpness, activity, system,
    place::double as place, first, coalesce(n_ranked, 0)::double as n_ranked,
    mean_log, q025_log, q975_log, is_thin, is_suppressed
from fitted
join scope_ using (scope_type, scope)
join chosen using (system)
left join placed using (scope_type, scope, weighting, power, sharpness, activity, system)
left join first_ using (scope_type, scope, weighting, power, sharpness, activity)
where is_certain <> has_sampled
order by all
"""
NARROWED = {"suitability_sweep": SWEEP}
