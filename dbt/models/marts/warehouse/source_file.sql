with

final as (
    select
        input,
        source_file,
        source_sha256,
        n_bytes,
        modified_at
    from {{ source('raw', 'source_file') }}
)

select * from final
