with

final as (
    select
        scenario,
        system,
        mode,
        run,
        tool,
        score,
        n_expected,
        n_called,
        how,
        reason
    from {{ ref('int_tool_score') }}
)

select * from final
