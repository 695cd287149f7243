with raw_item as (
    {{ landed_propensity_items() }}
),

raw_response as (
    {{ landed_propensity_responses() }}
),

item as (
    select
        'propensity_item' as table_name,
        staged.source_file,
        staged.row_number,
        staged.column_name,
        case staged.column_name
            when 'item_id' then raw_item.item
            when 'propensity' then raw_item.propensity
            when 'benchmark' then raw_item.benchmark
            when 'option_a' then raw_item.option_a
            when 'option_b' then raw_item.option_b
            when 'option_c' then raw_item.option_c
            when 'correct' then raw_item.correct
            when 'lower' then raw_item.lower_bound
            when 'upper' then raw_item.upper_bound
        end as value,
        staged.reason
    from {{ ref('stg_propensity_item') }} as staged
    inner join raw_item
        on staged.source_file = raw_item.source_file and staged.row_number = raw_item.row_number
    where staged.reason is not null
),

demand as (
    select
        'propensity_item' as table_name,
        source_file,
        row_number,
        capability as column_name,
        level_text as value,
        reason
    from {{ ref('stg_propensity_demand') }}
    where reason is not null
),

band as (
    select
        'propensity_band' as table_name,
        source_file,
        row_number,
        column_name,
        case column_name
            when 'benchmark' then benchmark
            when 'item' then item
            when 'propensity' then propensity
            when 'lower' then lower_text
            when 'upper' then upper_text
        end as value,
        reason
    from {{ ref('stg_propensity_band') }}
    where reason is not null
),

response as (
    select
        'propensity_response' as table_name,
        staged.source_file,
        staged.row_number,
        case
            when staged.reason = 'blank system' then 'system'
            when staged.reason = 'blank propensity' then 'propensity'
            when staged.reason = 'unknown incitation' then 'incitation'
            when staged.reason like 'is_correct %' then 'is_correct'
            when staged.status = 'unscored' then 'option'
            else 'item_id'
        end as column_name,
        case
            when staged.reason = 'blank system' then raw_response.system
            when staged.reason = 'blank propensity' then raw_response.propensity
            when staged.reason = 'unknown incitation' then raw_response.incitation
            when staged.reason like 'is_correct %' then raw_response.is_correct
            when staged.status = 'unscored' then raw_response.chosen
            else raw_response.item
        end as value,
        staged.reason
    from {{ ref('stg_propensity_response') }} as staged
    inner join raw_response
        on staged.source_file = raw_response.source_file and staged.row_number = raw_response.row_number
    where staged.reason is not null
),

final as (
    select * from item
    union all
    select * from demand
    union all
    select * from band
    union all
    select * from response
)

select * from final
