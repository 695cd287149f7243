with

final as (
    select
        floor,
        n_tasks,
        n_tasks_matched,
        {{ to_double('n_tasks_matched') }} / nullif(n_tasks, 0) as task_share,
        n_servers,
        n_servers_matched,
        {{ to_double('n_servers_matched') }} / nullif(n_servers, 0) as server_share,
        n_pairs
    from {{ ref('stg_server_match_floor') }}
)

select * from final
