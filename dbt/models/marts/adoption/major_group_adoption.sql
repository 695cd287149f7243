with

part as (
    select
        occupation.major_group,
        used.task_set,
        max(used.n_chats) as n_chats,
        max(used.n_us_chats) as n_us_chats,
        {{ exact_sum('used.weight') }} as weight
    from {{ ref('int_task_set_occupation') }} as used
    inner join {{ ref('int_occupation') }} as occupation on used.occupation = occupation.occupation
    group by
        occupation.major_group,
        used.task_set
),

used as (
    select
        'all' as country,
        major_group,
        cast(sum(n_chats) as bigint) as n_chats,
        {{ exact_sum('weight', 'n_chats') }} as chat_weight
    from part
    group by major_group
    union all
    select
        'US' as country,
        major_group,
        cast(sum(n_us_chats) as bigint) as n_chats,
        {{ exact_sum('weight', 'n_us_chats') }} as chat_weight
    from part
    group by major_group
),

major_group as (
    select
        major_group,
        min(major_group_name) as name,
        {{ exact_sum('employment_share') }} as employment_share
    from {{ ref('int_occupation') }}
    group by major_group
),

country as (
    select
        'all' as country,
        min_chats,
        n_chats as n_country_chats
    from {{ ref('int_chat_minimum') }}
    union all
    select
        'US' as country,
        min_chats,
        n_us_chats as n_country_chats
    from {{ ref('int_chat_minimum') }}
),

cell as (
    select
        country.country,
        major_group.major_group,
        major_group.name,
        major_group.employment_share,
        country.min_chats,
        country.n_country_chats,
        coalesce(used.n_chats, 0) as n_chats,
        coalesce(used.chat_weight, {{ to_double('0') }}) as chat_weight
    from country
    cross join major_group
    left join used on country.country = used.country and major_group.major_group = used.major_group
),

{# what is not from the US, or from nobody knows where, is all less the US: a US cell tells two numbers #}
beside as (
    select
        cell.*,
        case
            when cell.country = 'US' and whole.n_chats > cell.n_chats
                then least(cell.n_chats, whole.n_chats - cell.n_chats)
            else cell.n_chats
        end as n_told,
        case
            when cell.country = 'US' and whole.n_chats > cell.n_chats
                then least(cell.chat_weight, whole.chat_weight - cell.chat_weight)
            else cell.chat_weight
        end as weight_told
    from cell
    inner join cell as whole on cell.major_group = whole.major_group and whole.country = 'all'
),

interval_of as (
    select * from {{ ref('stg_adoption_bootstrap') }}
    where quantity = 'group_share'
),

judged as (
    select
        *,
        {{ is_few_chats('n_told', 'weight_told', 'min_chats', 'country', 'major_group') }} as is_suppressed
    from beside
),

final as (
    select
        judged.country,
        judged.major_group,
        name,
        case when not is_suppressed then n_chats end as n_chats,
        case when not is_suppressed then chat_weight / nullif(n_country_chats, 0) end as chat_share,
        case when not is_suppressed then interval_of.low end as chat_share_q025,
        case when not is_suppressed then interval_of.high end as chat_share_q975,
        employment_share,
        case
            when not is_suppressed then chat_weight / nullif(n_country_chats, 0) / nullif(employment_share, 0)
        end as representation_ratio,
        is_suppressed
    from judged
    left join interval_of on judged.country = interval_of.country and judged.major_group = interval_of.unit
)

select * from final
