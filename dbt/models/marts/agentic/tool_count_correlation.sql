with

final as (
    select
        system,
        mode,
        measure,
        tool_count,
        spearman_rho,
        p_value,
        n_scenarios
    from {{ ref('stg_tool_count_correlation') }}
)

select * from final
