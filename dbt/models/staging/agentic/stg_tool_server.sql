with

numbered as (
    select
        *,
        row_number() over (
            partition by server, case when fault is null then 0 else 1 end
            order by source_file, row_number
        ) as occurrence
    from {{ source('raw', 'tool_server') }}
),

final as (
    select
        source_file,
        row_number,
        server,
        description,
        analysis,
        tools,
        case when fault is not null or occurrence > 1 then 'rejected' else 'accepted' end as state,
        case when fault is not null then fault_column when occurrence > 1 then 'server' end as column_name,
        case when fault is not null then fault_value when occurrence > 1 then server end as value,
        case
            when fault is not null then fault
            when occurrence > 1 then 'duplicate: the first line of the server counts'
        end as reason
    from numbered
)

select * from final
