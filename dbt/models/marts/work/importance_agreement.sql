with

agreement as (
    select * from {{ ref('int_importance_agreement') }}
    where sample_type = 'recruitment' and unit_type in ('capability', 'activity')
),

reliabilities as (
    select
        unit_type,
        unit,
        max(case when recruitment = 'company' then reliability end) as reliability_company,
        max(case when recruitment = 'online' then reliability end) as reliability_online
    from {{ ref('stg_importance_reliability') }}
    group by unit_type, unit
),

answers as (
    select * from {{ ref('int_importance_answer') }}
),

counts as (
    {% for unit_type, behind in [('capability', 'points > 0'), ('activity', 'true')] %}
    select
        '{{ unit_type }}' as unit_type,
        {{ unit_type }} as unit,
        count(distinct case when recruitment = 'company' then respondent end) as n_company,
        count(distinct case when recruitment = 'online' then respondent end) as n_online
    from answers
    where {{ behind }}
    group by {{ unit_type }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

counted as (
    select
        agreement.unit_type,
        agreement.unit,
        agreement.cosine,
        agreement.pearson,
        reliabilities.reliability_company,
        reliabilities.reliability_online,
        cast(coalesce(counts.n_company, 0) as bigint) as n_company,
        cast(coalesce(counts.n_online, 0) as bigint) as n_online
    from agreement
    left join reliabilities
        on
            agreement.unit_type = reliabilities.unit_type
            and agreement.unit = reliabilities.unit
    left join counts
        on
            agreement.unit_type = counts.unit_type
            and agreement.unit = counts.unit
),

final as (
    select
        *,
        n_company < 5 or n_online < 5 as is_thin
    from counted
)

select * from final
