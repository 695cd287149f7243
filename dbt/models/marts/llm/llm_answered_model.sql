with

reply as (
    select *
    from {{ ref('stg_llm_call') }}
    where status in ('answered', 'unparsed', 'refused')
),

counted as (
    select
        run,
        role,
        name,
        model,
        answered_model,
        cast(count(*) as bigint) as n_replies,
        min(finished_at) as first_at,
        max(finished_at) as last_at
    from reply
    group by run, role, name, model, answered_model
),

final as (
    select
        run,
        role,
        name,
        model,
        answered_model,
        n_replies,
        first_at,
        last_at,
        count(answered_model) over (partition by run, role, name, model) > 1 as is_changed
    from counted
)

select * from final
