with

agreement as (
    select * from {{ ref('int_importance_agreement') }}
    where sample_type = 'domain' and unit_type = 'matrix'
),

domains as (
    select
        domain,
        max(n_respondents) as n_respondents
    from {{ ref('int_domain_departure') }}
    group by domain
),

final as (
    select
        agreement.sample_a as domain_a,
        agreement.sample_b as domain_b,
        agreement.pearson,
        agreement.cosine,
        a.n_respondents as n_respondents_a,
        b.n_respondents as n_respondents_b,
        a.n_respondents < 5 or b.n_respondents < 5 as is_thin
    from agreement
    inner join domains as a on agreement.sample_a = a.domain
    inner join domains as b on agreement.sample_b = b.domain
)

select * from final
