with landed as (
    {{ landed_propensity_responses() }}
),

response as (
    select
        source_file,
        row_number,
        {{ blank_to_null('system') }} as system_name,
        {{ blank_to_null('item') }} as item,
        lower({{ blank_to_null('propensity') }}) as propensity,
        lower({{ blank_to_null('incitation') }}) as incitation_text,
        {{ try_double('incitation') }} as incitation_number,
        lower({{ blank_to_null('chosen') }}) as chosen,
        lower({{ blank_to_null('is_correct') }}) as is_correct_text,
        {{ try_double('is_correct') }} as is_correct_number
    from landed
),

alias as (
    select * from {{ ref('seed_system_alias') }}
),

-- the usable row of an item if there is one, else why its first row is not
item as (
    select
        propensity,
        item,
        correct,
        reason,
        row_number() over (
            partition by propensity, item
            order by case when reason is null then 0 else 1 end, source_file, row_number
        ) as place
    from {{ ref('stg_propensity_item') }}
),

named as (
    select
        response.*,
        coalesce(alias.system, response.system_name) as system,
        case
            when response.incitation_text = 'none' then 'none'
            when response.incitation_number in (-3, -2, -1, 0, 1, 2, 3)
                then cast(cast(response.incitation_number as integer) as {{ dbt.type_string() }})
        end as incitation,
        case
            when response.is_correct_number = 1 or response.is_correct_text = 'true' then 1
            when response.is_correct_number = 0 or response.is_correct_text = 'false' then 0
        end as said,
        item.item is not null as is_item,
        item.correct,
        item.reason as item_reason
    from response
    left join alias on response.system_name = alias.alias
    left join item
        on response.propensity = item.propensity and response.item = item.item and item.place = 1
),

judged as (
    select
        *,
        case
            when system is null then 'blank system'
            when propensity is null then 'blank propensity'
            when not is_item then 'unknown item of this propensity'
            when item_reason is not null then 'its item is not used: ' || item_reason
            when incitation is null then 'unknown incitation'
            when chosen in ('a', 'b', 'c') and said <> case when chosen = correct then 1 else 0 end
                then 'is_correct contradicts the item: option ' || correct || ' is correct'
        end as fault,
        case
            when chosen is null then 'missing option'
            when chosen not in ('a', 'b', 'c') then 'option is not a, b or c'
            when is_correct_text is not null and said is null then 'is_correct is not 0 or 1'
        end as unscored_reason
    from named
),

-- in one file a repeat is a mistake; another file is another trial
counted as (
    select
        *,
        row_number() over (
            partition by source_file, system, propensity, item, incitation
            order by
                case when fault is not null then 2 when unscored_reason is not null then 1 else 0 end,
                row_number
        ) as occurrence
    from judged
),

settled as (
    select
        *,
        coalesce(
            fault,
            case when occurrence > 1 then 'answered twice in this file; the first readable row counts' end
        ) as reject_reason
    from counted
),

final as (
    select
        source_file,
        row_number,
        system,
        propensity,
        item,
        incitation,
        case
            when reject_reason is not null then 'rejected'
            when unscored_reason is not null then 'unscored'
            else 'scored'
        end as status,
        case
            when reject_reason is null and unscored_reason is null
                then case when chosen = correct then 1 else 0 end
        end as is_correct,
        coalesce(reject_reason, unscored_reason) as reason
    from settled
)

select * from final
