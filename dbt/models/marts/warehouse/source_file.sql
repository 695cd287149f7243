with

final as (
    select
        input,
        source_file,
        source_sha256,
        n_bytes,
        modified_at
    from {{ ref('stg_source_file') }}
)

select * from final
