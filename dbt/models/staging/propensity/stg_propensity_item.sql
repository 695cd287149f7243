with landed as (
    {{ landed_propensity_items() }}
),

raw_item as (
    select
        source_file,
        row_number,
        {{ blank_to_null('item') }} as item,
        lower({{ blank_to_null('propensity') }}) as propensity,
        {{ blank_to_null('benchmark') }} as benchmark,
        {{ blank_to_null('option_a') }} as option_a,
        {{ blank_to_null('option_b') }} as option_b,
        {{ blank_to_null('option_c') }} as option_c,
        lower({{ blank_to_null('correct') }}) as correct,
        lower_bound as lower_text,
        upper_bound as upper_text,
        {{ try_double('lower_bound') }} as lower_bound,
        {{ try_double('upper_bound') }} as upper_bound
    from landed
),

known as (
    select propensity from {{ ref('seed_propensity') }}
),

counted as (
    select
        raw_item.*,
        known.propensity is not null as is_known,
        row_number() over (
            partition by raw_item.propensity, raw_item.item
            order by raw_item.source_file, raw_item.row_number
        ) as occurrence
    from raw_item
    left join known on raw_item.propensity = known.propensity
),

final as (
    select
        source_file,
        row_number,
        item,
        propensity,
        benchmark,
        correct,
        lower_bound,
        upper_bound,
        lower_text,
        upper_text,
        case
            when item is null then 'item_id'
            when not is_known then 'propensity'
            when benchmark is null then 'benchmark'
            when option_a is null then 'option_a'
            when option_b is null then 'option_b'
            when option_c is null then 'option_c'
            when correct is null or correct not in ('a', 'b', 'c') then 'correct'
            when lower_bound is null or lower_bound < -3 or lower_bound > 3 then 'lower'
            when upper_bound is null or upper_bound < -3 or upper_bound > 3 then 'upper'
            when lower_bound >= upper_bound then 'upper'
            when occurrence > 1 then 'item_id'
        end as column_name,
        case
            when item is null then 'blank item'
            when not is_known then 'unknown propensity; seed_propensity.csv names them'
            when benchmark is null then 'blank benchmark'
            when option_a is null or option_b is null or option_c is null then 'missing option'
            when correct is null or correct not in ('a', 'b', 'c') then 'correct is not a, b or c'
            when lower_bound is null or upper_bound is null then 'bound is no number'
            when lower_bound < -3 or lower_bound > 3 or upper_bound < -3 or upper_bound > 3
                then 'bound outside -3 to 3'
            when lower_bound = upper_bound then 'band is empty: lower equals upper'
            when lower_bound > upper_bound then 'band is empty: lower is above upper'
            when occurrence > 1 then 'item stands twice for this propensity; its first row counts'
        end as reason
    from counted
)

select * from final
