with

undefined as (
    select * from {{ ref('stg_undefined_weight') }}
),

cell as (
    select * from {{ ref('int_policy_activity') }}
),

final as (
    select
        undefined.scope_type,
        undefined.scope,
        undefined.activity,
        undefined.policy,
        undefined.reason,
        cell.n_respondents,
        cell.is_thin,
        cell.is_suppressed
    from undefined
    left join cell
        on
            undefined.scope_type = cell.scope_type
            and undefined.scope = cell.scope
            and undefined.activity = cell.activity
            and undefined.policy = cell.policy
)

select * from final
