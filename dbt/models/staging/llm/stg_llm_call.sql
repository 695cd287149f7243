with

attempt as (
    select * from {{ source('raw', 'llm_call') }}
),

final as (
    select
        call_id,
        attempt,
        run,
        plan,
        role,
        name,
        model,
        back_end,
        status,
        input_tokens,
        output_tokens,
        cost,
        started_at,
        finished_at,
        answered_model,
        row_number() over (partition by run, call_id order by attempt desc) = 1 as is_last_in_run
    from attempt
)

select * from final
