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
    {# shares and percentages alike #}
    where value between 0 and 100
)

select * from final
