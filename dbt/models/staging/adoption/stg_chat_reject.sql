with

chat as (
    select * from {{ ref('stg_chat') }}
),

final as (
    {# texts are nobody's business, not even unusable ones #}
    select
        'chat' as table_name,
        source_file,
        row_number,
        'conversation or text' as column_name,
        cast(null as {{ dbt.type_string() }}) as value,
        problem as reason
    from chat
    where problem is not null
    union all
    select
        'chat' as table_name,
        source_file,
        row_number,
        'at' as column_name,
        cast(null as {{ dbt.type_string() }}) as value,
        'no time in ISO 8601' as reason
    from chat
    where problem is null and at_given is not null and chat.at is null
)

select * from final
