with

agreement as (
    select
        unit_type,
        cosine,
        pearson,
        {# Fisher's z; perfect agreement has none #}
        case when abs(pearson) < 1 - 1e-12 then ln((1 + pearson) / (1 - pearson)) / 2 end as z
    from {{ ref('int_importance_agreement') }}
    where sample_type = 'recruitment' and unit_type in ('capability', 'activity')
),

split_half as (
    select * from {{ ref('stg_importance_reliability') }}
),

bootstrap as (
    select * from {{ ref('stg_importance_bootstrap') }}
),

matrix as (
    select * from {{ ref('int_importance_matrix') }}
    where sample_type = 'recruitment'
),

samples as (
    select
        max(case when sample_name = 'company' then n_respondents end) as n_company,
        max(case when sample_name = 'online' then n_respondents end) as n_online
    from matrix
),

summary as (
    select
        unit_type,
        {{ exact_avg('cosine') }} as cosine,
        {{ exact_avg('z') }} as z,
        count(*) as n_units,
        count(cosine) as n_units_cosine,
        count(z) as n_units_pearson
    from agreement
    group by unit_type
),

reliabilities as (
    select
        unit_type,
        {{ exact_avg("case when recruitment = 'company' then reliability end") }} as reliability_company,
        {{ exact_avg("case when recruitment = 'online' then reliability end") }} as reliability_online,
        count(case when recruitment = 'company' then reliability end) as n_units_company,
        count(case when recruitment = 'online' then reliability end) as n_units_online
    from split_half
    group by unit_type
),

joined as (
    select
        summary.unit_type,
        summary.cosine,
        (exp(2 * summary.z) - 1) / (exp(2 * summary.z) + 1) as pearson,
        bootstrap.pearson_sd,
        reliabilities.reliability_company,
        reliabilities.reliability_online,
        sqrt(reliabilities.reliability_company * reliabilities.reliability_online) as noise_ceiling,
        summary.n_units,
        summary.n_units_cosine,
        summary.n_units_pearson,
        coalesce(reliabilities.n_units_company, 0) as n_units_company,
        coalesce(reliabilities.n_units_online, 0) as n_units_online,
        samples.n_company,
        samples.n_online
    from summary
    cross join samples
    left join reliabilities on summary.unit_type = reliabilities.unit_type
    left join bootstrap on summary.unit_type = bootstrap.unit_type
),

bounded as (
    select
        *,
        {# resamples that all agree, as of people who all answer alike, don't say how sure the mean is #}
        case when pearson_sd > 1e-12 then pearson - 1.96 * pearson_sd end as pearson_low,
        case when pearson_sd > 1e-12 then pearson + 1.96 * pearson_sd end as pearson_high,
        pearson / nullif(noise_ceiling, 0) as uncapped
    from joined
),

final as (
    select
        unit_type,
        cosine,
        pearson,
        pearson_sd,
        pearson_low,
        pearson_high,
        reliability_company,
        reliability_online,
        noise_ceiling,
        case when uncapped > 1 then 1 else uncapped end as disattenuated,
        cast(n_units as bigint) as n_units,
        cast(n_units_cosine as bigint) as n_units_cosine,
        cast(n_units_pearson as bigint) as n_units_pearson,
        cast(n_units_company as bigint) as n_units_company,
        cast(n_units_online as bigint) as n_units_online,
        cast(n_company as bigint) as n_company,
        cast(n_online as bigint) as n_online,
        case
            when pearson is null then 'in no unit do both samples vary and agree less than perfectly'
            when n_company < 2 or n_online < 2 then 'a sample of one respondent can be neither split nor resampled'
            when noise_ceiling is null then 'no unit of a sample has a split-half correlation below 1'
            when noise_ceiling = 0 then 'a sample with reliability 0 leaves no ceiling'
            when pearson_sd <= 1e-12 then 'all resamples agree, so they give no interval'
            when pearson_sd is null then 'too few resamples in which a unit varies and agrees less than perfectly'
        end as reason
    from bounded
)

select * from final
