with

final as (
    select
        scenario,
        system,
        mode,
        max(occupation) as occupation,
        cast(count(*) as bigint) as n_runs,
        cast(sum(case when input_tokens is null or output_tokens is null then 1 else 0 end) as bigint)
            as n_without_tokens,
        cast(sum(case when cost is null then 1 else 0 end) as bigint) as n_without_cost,
        {{ exact_avg('input_tokens') }} as mean_input_tokens,
        {{ exact_avg('output_tokens') }} as mean_output_tokens,
        {{ exact_avg('cost') }} as mean_cost,
        {{ exact_avg('seconds') }} as mean_seconds,
        {{ exact_avg('n_steers') }} as mean_steers
    from {{ ref('int_agent_run') }}
    group by scenario, system, mode
)

select * from final
