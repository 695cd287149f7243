with

final as (
    select
        server,
        tool,
        n_arguments,
        n_required,
        'not_tested' as status,
        'described by a file: the tool was not called' as reason
    from {{ ref('stg_server_tool') }}
)

select * from final
