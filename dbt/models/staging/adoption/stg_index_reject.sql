with

final as (
    select
        'index_value' as table_name,
        source_file,
        row_number,
        column_name,
        substring(value, 1, 200) as value,
        case
            when {{ try_double('value') }} < 0 then 'below 0'
            when {{ try_double('value') }} > 100 then 'above 100'
            else 'not a number'
        end as reason
    from {{ source('raw', 'index_value') }}
    where coalesce({{ try_double('value') }} not between 0 and 100, true)
)

select * from final
