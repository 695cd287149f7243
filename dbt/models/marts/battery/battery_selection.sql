with final as (
    select
        benchmark,
        n_available,
        n_sampled,
        max_items,
        n_selected,
        n_proportional,
        {{ to_double('n_selected') }} / nullif(sum(n_selected) over (), 0) as selected_share,
        selection_sha256,
        relaxed
    from {{ ref('stg_battery_selection_benchmark') }}
)

select * from final
