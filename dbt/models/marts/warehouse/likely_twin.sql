with

names as (
    select
        'system' as kind,
        system as name
    from {{ ref('stg_ai_system') }}
    union
    select
        'system' as kind,
        system as name
    from {{ ref('stg_propensity_response') }}
    union
    select
        'rater' as kind,
        rater as name
    from {{ ref('stg_rating') }}
    union
    select
        'candidate' as kind,
        candidate as name
    from {{ ref('stg_candidate') }}
),

keyed as (
    select
        kind,
        name,
        {{ undated_key('name') }} as plain_name
    from names
    where name is not null
),

final as (
    select
        one.kind,
        one.name,
        other.name as other_name,
        one.plain_name
    from keyed as one
    inner join keyed as other
        on one.kind = other.kind and one.plain_name = other.plain_name and one.name < other.name
)

select * from final
