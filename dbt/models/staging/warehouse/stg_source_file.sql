with

landed as (
    select * from {{ source('raw', 'source_file') }}
),

final as (
    select
        input,
        source_file,
        source_sha256,
        n_bytes,
        modified_at
    from landed
)

select * from final
