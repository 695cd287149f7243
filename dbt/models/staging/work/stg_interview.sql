with

given as (
    select
        source_file,
        row_number,
        company,
        role,
        duty,
        capability_name,
        trim(points) as answer
    from {{ source('raw', 'interview') }}
),

companies as (
    select * from {{ ref('stg_company') }}
),

aliases as (
    select
        lower(capability_name) as capability_name,
        capability
    from {{ ref('seed_capability_alias') }}
),

named as (
    select
        given.source_file,
        given.row_number,
        companies.company,
        min(given.role) over (partition by companies.company, lower(given.role)) as role,
        min(given.duty) over (partition by companies.company, lower(given.role), lower(given.duty)) as duty,
        given.capability_name,
        aliases.capability,
        given.answer,
        {{ try_double('given.answer') }} as number_given
    from given
    left join companies on given.company = companies.spelling
    left join aliases on lower(given.capability_name) = aliases.capability_name
),

scoped as (
    select
        *,
        case when duty is null then 'role' else 'duty' end as scope_type,
        company || ': ' || role as scope,
        coalesce(duty, 'Role as a whole') as activity
    from named
),

counted as (
    select
        *,
        count(*) over (partition by source_file, scope_type, scope, activity, capability) as n_times
    from scoped
),

judged as (
    select
        *,
        case
            when capability is null then 'unknown capability'
            {# none of them is preferred #}
            when n_times > 1 then 'the capability stands more than once in this interview'
            when answer is null or answer = '' then null
            when number_given is null then 'not a number'
            when number_given < 0 then 'below the allowed range'
            when number_given > 100 then 'above the allowed range'
        end as reason
    from counted
),

final as (
    select
        source_file,
        row_number,
        scope_type,
        scope,
        activity,
        capability_name,
        capability,
        answer,
        case when reason is null then number_given end as points,
        reason
    from judged
)

select * from final
