with landed as (
    select
        source_file,
        row_number,
        rater,
        {{ blank_to_null('benchmark') }} as benchmark,
        {{ blank_to_null('item') }} as item,
        lower({{ blank_to_null('propensity') }}) as propensity,
        {{ try_double('lower_bound') }} as lower_bound,
        {{ try_double('upper_bound') }} as upper_bound,
        lower_bound as lower_text,
        upper_bound as upper_text,
        'answered' as status,
        false as is_ledger
    from {{ source('raw', 'propensity_band') }}
    union all
    -- what a model said was checked when its answer was read
    select
        source_file,
        row_number,
        rater,
        benchmark,
        item,
        propensity,
        {{ try_double('lower_bound') }} as lower_bound,
        {{ try_double('upper_bound') }} as upper_bound,
        lower_bound as lower_text,
        upper_bound as upper_text,
        status,
        true as is_ledger
    from {{ source('raw', 'propensity_llm_band') }}
),

known_item as (
    select
        benchmark,
        item
    from {{ ref('stg_propensity_item') }}
    where reason is null
    union
    select
        benchmark,
        item
    from {{ ref('stg_result') }}
    where status <> 'rejected'
),

known_benchmark as (
    select distinct benchmark from known_item
),

known as (
    select propensity from {{ ref('seed_propensity') }}
),

judged as (
    select
        landed.*,
        case
            when landed.is_ledger then null
            when landed.benchmark is null or known_benchmark.benchmark is null then 'benchmark'
            when landed.item is null or known_item.item is null then 'item'
            when known.propensity is null then 'propensity'
            when landed.lower_bound is null or landed.lower_bound < -3 or landed.lower_bound > 3 then 'lower'
            when landed.upper_bound is null or landed.upper_bound < -3 or landed.upper_bound > 3 then 'upper'
            when {{ is_narrow_band('landed.lower_bound', 'landed.upper_bound') }} then 'upper'
        end as fault_column,
        case
            when landed.is_ledger then null
            when landed.benchmark is null then 'blank benchmark'
            when landed.item is null then 'blank item'
            when known_benchmark.benchmark is null
                then 'unknown benchmark: neither of a usable propensity item nor in battery/results'
            when known_item.item is null then 'unknown item: neither a usable propensity item nor in battery/results'
            when known.propensity is null then 'unknown propensity; seed_propensity.csv names them'
            when landed.lower_bound is null or landed.upper_bound is null then 'bound is no number'
            when
                landed.lower_bound < -3 or landed.lower_bound > 3 or landed.upper_bound < -3 or landed.upper_bound > 3
                then 'bound outside -3 to 3'
            when {{ is_narrow_band('landed.lower_bound', 'landed.upper_bound') }}
                then 'upper bound is not at least 0.1 above the lower one'
        end as fault
    from landed
    left join known_benchmark on landed.benchmark = known_benchmark.benchmark
    left join known_item on landed.benchmark = known_item.benchmark and landed.item = known_item.item
    left join known on landed.propensity = known.propensity
),

counted as (
    select
        *,
        row_number() over (
            partition by source_file, rater, benchmark, item, propensity
            order by case when fault is null then 0 else 1 end, row_number
        ) as occurrence
    from judged
),

final as (
    select
        source_file,
        row_number,
        rater,
        benchmark,
        item,
        propensity,
        case when status = 'answered' then lower_bound end as lower_bound,
        case when status = 'answered' then upper_bound end as upper_bound,
        lower_text,
        upper_text,
        status,
        is_ledger,
        coalesce(fault_column, case when occurrence > 1 then 'item' end) as column_name,
        coalesce(
            fault,
            case when occurrence > 1 then 'item occurs twice in this file; its first usable row counts' end
        ) as reason
    from counted
)

select * from final
