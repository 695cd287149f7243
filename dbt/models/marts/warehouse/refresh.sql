with

refreshes as (
    select * from {{ ref('stg_refresh') }}
),

final as (
    select
        refresh_id,
        started_at,
        cast(null as timestamp) as finished_at,
        sources,
        is_synthetic,
        seed,
        git_commit,
        duckdb_version,
        project_version
    from refreshes
)

select * from final
