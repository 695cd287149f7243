with

attempt as (
    select * from {{ ref('stg_llm_call') }}
),

final as (
    select
        run,
        role,
        model,
        max(plan) as plan,
        cast(sum(case when is_last_in_run then 1 else 0 end) as bigint) as n_calls,
        {% for status in ['answered', 'unparsed', 'refused', 'failed', 'pending'] %}
        cast(sum(case when is_last_in_run and status = '{{ status }}' then 1 else 0 end) as bigint) as n_{{ status }},
        {% endfor %}
        cast(count(*) as bigint) as n_attempts,
        cast(sum(input_tokens) as bigint) as input_tokens,
        cast(sum(output_tokens) as bigint) as output_tokens,
        -- as decimals, so that the order of rows doesn't show
        {{ to_double('sum(cast(cost as decimal(38, 15)))') }} as cost,
        cast(sum(case when cost is null then 1 else 0 end) as bigint) as n_cost_unknown,
        cast(count(distinct answered_model) as bigint) as n_answered_models
    from attempt
    group by run, role, model
)

select * from final
