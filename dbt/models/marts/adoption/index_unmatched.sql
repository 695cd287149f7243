with

total as (
    select
        index_name,
        {{ exact_sum('value') }} as value
    from {{ ref('int_index_match') }}
    group by index_name
),

final as (
    select
        matched.index_name as index,
        matched.level,
        matched.unit,
        matched.text,
        matched.value,
        matched.value / nullif(total.value, 0) as value_share,
        matched.nearest_text,
        matched.score,
        case when matched.level = 'SOC' then 'code' else 'text' end as looked_for
    from {{ ref('int_index_match') }} as matched
    inner join total on matched.index_name = total.index_name
    where matched.matched_unit is null
)

select * from final
