with

given as (
    select
        index_name,
        level,
        unit,
        {{ squeeze('text') }} as text,
        {{ try_double('value') }} as value
    from {{ source('raw', 'index_value') }}
),

final as (
    select
        index_name,
        level,
        {# tasks have no code: their text names them #}
        coalesce(unit, text) as unit,
        text,
        value
    from given
    where value >= 0
)

select * from final
