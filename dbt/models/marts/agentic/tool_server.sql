with

tool as (
    select
        server,
        count(*) as n_tools
    from {{ ref('stg_server_tool') }}
    group by server
),

final as (
    select
        server.server,
        'file' as transport,
        cast(coalesce(tool.n_tools, 0) as bigint) as n_tools,
        cast(null as bigint) as n_passed,
        case when tool.n_tools is null then 'no_tools' else 'not_tested' end as status,
        case when tool.n_tools is null then 'its file lists no tools' else 'described by a file: no tool was called' end
            as reason,
        cast(null as boolean) as is_stateful,
        server.analysis is not null as has_analysis
    from {{ ref('stg_tool_server') }} as server
    left join tool on server.server = tool.server
    where server.state = 'accepted'
)

select * from final
