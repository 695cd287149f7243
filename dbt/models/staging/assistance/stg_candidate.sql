with given as (
    select
        source_file,
        row_number,
        candidate,
        family,
        role as role_text,
        ',' || replace(lower(coalesce(role, '')), ' ', '') || ',' as roles,
        gradient as gradient_text,
        {{ try_double('gradient') }} as gradient
    from {{ source('raw', 'candidate') }}
),

final as (
    select
        source_file,
        row_number,
        candidate,
        family,
        roles like '%,candidate,%' as is_candidate,
        roles like '%,worker,%' as is_worker,
        roles like '%,judge,%' as is_judge,
        replace(replace(replace(replace(roles, 'candidate', ''), 'worker', ''), 'judge', ''), ',', '') <> ''
            as has_unknown_role,
        role_text,
        gradient,
        gradient_text
    from given
    {# the marts' name for everybody: told in stg_tournament_reject #}
    where candidate <> 'all'
)

select * from final
