with

run as (
    select
        scenario,
        system,
        mode,
        run,
        measure,
        score,
        status
    from {{ ref('int_agent_run_score') }}
    where measure in ('tool_accuracy', 'tool_accuracy_by_code') and status <> 'budget'
    union all
    select
        scenario,
        system,
        mode,
        run,
        'reward' as measure,
        reward as score,
        'scored' as status
    from {{ ref('int_agent_run') }}
    where reward is not null and ended_by <> 'budget'
),

placed as (
    select
        *,
        row_number() over (partition by scenario, system, mode, measure order by run) as place
    from run
),

counted as (
    select
        scenario,
        system,
        mode,
        measure,
        {{ to_double('count(*)') }} as n,
        {{ to_double('sum(case when score = 1 then 1 else 0 end)') }} as n_passed,
        sum(case when status = 'unjudged' then 1 else 0 end) as n_unjudged
    from placed
    group by scenario, system, mode, measure
),

{# numbers from 1 to the most runs of one scenario #}
step as (
    select distinct
        system,
        mode,
        measure,
        place
    from placed
),

{# C(c, k) / C(n, k) is the product of (c - i) / (n - i) over i < k #}
passed as (
    select
        counted.scenario,
        counted.system,
        counted.mode,
        counted.measure,
        k.place as k,
        counted.n_unjudged,
        case
            when counted.n_passed < k.place then 0
            else exp(sum(
                ln(
                    case
                        when counted.n_passed >= k.place
                            then (counted.n_passed - i.place + 1) / (counted.n - i.place + 1)
                        else 1
                    end
                )
            ))
        end as pass_all
    from counted
    inner join step as k
        on
            counted.system = k.system
            and counted.mode = k.mode
            and counted.measure = k.measure
            and counted.n >= k.place
    inner join step as i
        on k.system = i.system and k.mode = i.mode and k.measure = i.measure and k.place >= i.place
    group by
        counted.scenario, counted.system, counted.mode, counted.measure, counted.n, counted.n_passed,
        counted.n_unjudged, k.place
),

final as (
    select
        system,
        mode,
        measure,
        cast(k as bigint) as k,
        {{ exact_avg('case when n_unjudged = 0 then pass_all end') }} as pass_all_share,
        cast(sum(case when n_unjudged = 0 then 1 else 0 end) as bigint) as n_scenarios,
        cast(sum(case when n_unjudged > 0 then 1 else 0 end) as bigint) as n_unjudged
    from passed
    group by system, mode, measure, k
)

select * from final
