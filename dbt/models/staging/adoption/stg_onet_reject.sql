with

skill as (
    select
        'onet_skill' as table_name,
        source_file,
        row_number,
        'Data Value' as column_name,
        substring(value, 1, 200) as value,
        'not a number' as reason
    from {{ ref('stg_occupation_skill') }}
    where importance is null
),

zone as (
    select
        'onet_job_zone' as table_name,
        source_file,
        row_number,
        'Job Zone' as column_name,
        substring(job_zone, 1, 200) as value,
        'not a number' as reason
    from {{ source('raw', 'onet_job_zone') }}
    where {{ try_double('job_zone') }} is null
),

employment as (
    select
        'oews' as table_name,
        source_file,
        row_number,
        'TOT_EMP' as column_name,
        substring(employment, 1, 200) as value,
        'not a number' as reason
    from {{ source('raw', 'oews') }}
    {# the marks of OEWS for what is not published are no faults #}
    where
        trim(employment) not in ('*', '**', '#')
        and {{ try_double("replace(employment, ',', '')") }} is null
),

wage as (
    select
        'oews' as table_name,
        source_file,
        row_number,
        'A_MEDIAN' as column_name,
        substring(median_wage, 1, 200) as value,
        'not a number' as reason
    from {{ source('raw', 'oews') }}
    where
        trim(median_wage) not in ('*', '**', '#')
        and {{ try_double("replace(median_wage, ',', '')") }} is null
),

final as (
    select * from skill
    union all
    select * from zone
    union all
    select * from employment
    union all
    select * from wage
)

select * from final
