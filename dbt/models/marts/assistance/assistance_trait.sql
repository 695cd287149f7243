with text as (
    select * from {{ ref('int_assistance_trait') }}
),

scoped as (
    select
        task as scope_task,
        text.*
    from text
    union all
    select
        'all' as scope_task,
        text.*
    from text
),

counted as (
    select
        scope_task,
        trait,
        sum(case when is_used then 1 else 0 end) as n_texts,
        sum(case when is_used then 0 else 1 end) as n_left_out,
        {{ exact_avg('case when is_used then score end') }} as mean_score,
        {{ exact_avg('case when is_used and is_among_best then score end') }} as mean_score_best,
        {{ exact_avg('case when is_used and is_among_worst then score end') }} as mean_score_worst
    from scoped
    group by scope_task, trait
),

association as (
    select * from {{ ref('stg_trait_association') }}
),

final as (
    select
        counted.scope_task as task,
        counted.trait,
        association.spearman_rho,
        association.p_value,
        counted.mean_score,
        counted.mean_score_best,
        counted.mean_score_worst,
        cast(counted.n_texts as bigint) as n_texts,
        cast(counted.n_left_out as bigint) as n_left_out
    from counted
    left join association on counted.scope_task = association.task and counted.trait = association.trait
)

select * from final
