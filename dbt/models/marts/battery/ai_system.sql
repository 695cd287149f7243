with ai_system as (
    select *
    from {{ ref('stg_ai_system') }}
    where has_result
),

system_item as (
    select * from {{ ref('int_system_item') }}
),

answered as (
    select
        system,
        count(*) as n_items,
        sum(case when status = 'scored' then 1 else 0 end) as n_scored,
        sum(case when status = 'unscored' then 1 else 0 end) as n_unscored,
        sum(case when status = 'errored' then 1 else 0 end) as n_errored,
        avg(score) as accuracy
    from system_item
    group by system
),

final as (
    select
        ai_system.system,
        coalesce(ai_system.name, ai_system.system) as name,
        ai_system.model,
        ai_system.settings,
        ai_system.scaffold,
        ai_system.developer,
        ai_system.family,
        ai_system.released_on,
        ai_system.kind,
        cast(coalesce(answered.n_items, 0) as bigint) as n_items,
        cast(coalesce(answered.n_scored, 0) as bigint) as n_scored,
        cast(coalesce(answered.n_unscored, 0) as bigint) as n_unscored,
        cast(coalesce(answered.n_errored, 0) as bigint) as n_errored,
        answered.accuracy
    from ai_system
    left join answered on ai_system.system = answered.system
)

select * from final
