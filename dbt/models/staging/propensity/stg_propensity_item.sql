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

judged as (
    select
        raw_item.*,
        case
            when raw_item.item is null then 'item_id'
            when known.propensity is null then 'propensity'
            when raw_item.benchmark is null then 'benchmark'
            when raw_item.option_a is null then 'option_a'
            when raw_item.option_b is null then 'option_b'
            when raw_item.option_c is null then 'option_c'
            when lower(raw_item.option_b) = lower(raw_item.option_a) then 'option_b'
            when lower(raw_item.option_c) in (lower(raw_item.option_a), lower(raw_item.option_b)) then 'option_c'
            when raw_item.correct is null or raw_item.correct not in ('a', 'b', 'c') then 'correct'
            when raw_item.lower_bound is null or raw_item.lower_bound < -3 or raw_item.lower_bound > 3 then 'lower'
            when raw_item.upper_bound is null or raw_item.upper_bound < -3 or raw_item.upper_bound > 3 then 'upper'
            when {{ is_narrow_band('raw_item.lower_bound', 'raw_item.upper_bound') }} then 'upper'
        end as fault_column,
        case
            when raw_item.item is null then 'blank item'
            when known.propensity is null then 'unknown propensity; seed_propensity.csv names them'
            when raw_item.benchmark is null then 'blank benchmark'
            when raw_item.option_a is null or raw_item.option_b is null or raw_item.option_c is null
                then 'missing option'
            when
                lower(raw_item.option_b) = lower(raw_item.option_a)
                or lower(raw_item.option_c) in (lower(raw_item.option_a), lower(raw_item.option_b))
                then 'two options are the same'
            when raw_item.correct is null or raw_item.correct not in ('a', 'b', 'c') then 'correct is not a, b or c'
            when raw_item.lower_bound is null or raw_item.upper_bound is null then 'bound is no number'
            when
                raw_item.lower_bound < -3 or raw_item.lower_bound > 3
                or raw_item.upper_bound < -3 or raw_item.upper_bound > 3
                then 'bound outside -3 to 3'
            when raw_item.lower_bound = raw_item.upper_bound then 'band is empty: lower equals upper'
            when raw_item.lower_bound > raw_item.upper_bound then 'band is empty: lower is above upper'
            when {{ is_narrow_band('raw_item.lower_bound', 'raw_item.upper_bound') }}
                then 'band is narrower than 0.1: no position can be told on it'
        end as fault
    from raw_item
    left join known on raw_item.propensity = known.propensity
),

-- the files' rows before the ledger's, usable ones first
counted as (
    select
        *,
        row_number() over (
            partition by propensity, item
            order by
                case when fault is null then 0 else 1 end,
                case when source_file = 'ledger' then 1 else 0 end,
                source_file,
                row_number
        ) as occurrence
    from judged
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
        coalesce(fault_column, case when occurrence > 1 then 'item_id' end) as column_name,
        coalesce(
            fault,
            case when occurrence > 1 then 'item stands twice for this propensity; its first usable row counts' end
        ) as reason
    from counted
)

select * from final
