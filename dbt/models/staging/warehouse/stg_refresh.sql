with

landed as (
    select * from {{ source('raw', 'refresh') }}
),

final as (
    select
        refresh_id,
        started_at,
        sources,
        is_synthetic,
        seed,
        git_commit,
        duckdb_version,
        project_version
    from landed
)

select * from final
