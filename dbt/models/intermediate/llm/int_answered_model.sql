with final as (
    select
        role,
        name,
        model,
        min(answered_model) as answered_model,
        cast(count(distinct answered_model) as bigint) as n_answered_models
    from {{ ref('stg_llm_call') }}
    where status in ('answered', 'unparsed', 'refused') and name is not null
    group by role, name, model
)

select * from final
