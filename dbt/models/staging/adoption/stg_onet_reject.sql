with

given as (
    select
        'onet_skill' as table_name,
        source_file,
        row_number,
        'Data Value' as column_name,
        value,
        {{ try_double('value') }} as number,
        {# importance, or level #}
        case when scale = 'IM' then 1 else 0 end as lowest,
        case when scale = 'IM' then 5 else 7 end as highest
    from {{ source('raw', 'onet_skill') }}
    union all
    select
        'onet_job_zone' as table_name,
        source_file,
        row_number,
        'Job Zone' as column_name,
        job_zone as value,
        {{ try_double('job_zone') }} as number,
        1 as lowest,
        5 as highest
    from {{ source('raw', 'onet_job_zone') }}
    union all
    select
        'oews' as table_name,
        source_file,
        row_number,
        'TOT_EMP' as column_name,
        employment as value,
        {{ try_grouped_double('employment') }} as number,
        0 as lowest,
        null as highest
    from {{ source('raw', 'oews') }}
    union all
    select
        'oews' as table_name,
        source_file,
        row_number,
        'A_MEDIAN' as column_name,
        median_wage as value,
        {{ try_grouped_double('median_wage') }} as number,
        0 as lowest,
        null as highest
    from {{ source('raw', 'oews') }}
),

judged as (
    select
        *,
        case
            when value is null then 'blank cell'
            {# the marks of OEWS for what is not published are no faults #}
            when table_name = 'oews' and trim(value) in ('*', '**', '#') then null
            when number is null then 'not a number'
            when number < lowest then 'below the allowed range'
            when number > highest then 'above the allowed range'
            when column_name = 'Job Zone' and number <> floor(number) then 'not a whole number'
        end as reason
    from given
    union all
    select
        'oews' as table_name,
        source_file,
        row_number,
        'O_GROUP' as column_name,
        soc_level as value,
        null as number,
        null as lowest,
        null as highest,
        'unknown group' as reason
    from {{ source('raw', 'oews') }}
    where lower(soc_level) not in ('total', 'major', 'minor', 'broad', 'detailed')
    union all
    select
        'oews_crosswalk' as table_name,
        source_file,
        row_number,
        'NEM Code' as column_name,
        oews_code as value,
        null as number,
        null as lowest,
        null as highest,
        'blank cell' as reason
    from {{ source('raw', 'oews_crosswalk') }}
    where oews_code is null
),

final as (
    select
        table_name,
        source_file,
        row_number,
        column_name,
        substring(value, 1, 200) as value,
        reason
    from judged
    where reason is not null
)

select * from final
