with final as (
    select * from {{ ref('int_importance_reliability') }}
)

select * from final
