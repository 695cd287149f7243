with

landed as (
    select * from {{ source('raw', 'chat_file') }}
),

final as (
    select
        source_file,
        source_sha256,
        form,
        n_rows,
        n_unusable,
        n_cut,
        n_masked,
        n_no_country
    from landed
)

select * from final
