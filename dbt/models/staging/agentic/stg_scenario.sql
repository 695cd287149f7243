with

numbered as (
    select
        *,
        row_number() over (
            partition by scenario, case when fault is null then 0 else 1 end
            order by source_file, row_number
        ) as occurrence
    from {{ source('raw', 'scenario') }}
),

final as (
    select
        source_file,
        row_number,
        scenario,
        pair,
        occupation,
        request,
        tool_analysis,
        workflow,
        tasks,
        servers,
        calls,
        withheld,
        follow_ups,
        case when fault is not null or occurrence > 1 then 'rejected' else 'accepted' end as state,
        case when fault is not null then fault_column when occurrence > 1 then 'scenario' end as column_name,
        case when fault is not null then fault_value when occurrence > 1 then scenario end as value,
        case
            when fault is not null then fault
            when occurrence > 1 then 'duplicate: the first line of the scenario counts'
        end as reason
    from numbered
)

select * from final
