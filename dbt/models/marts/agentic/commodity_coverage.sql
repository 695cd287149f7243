with

final as (
    select
        'all' as servers,
        has_examples,
        floor,
        n_commodities,
        n_covered,
        {{ to_double('n_covered') }} / nullif(n_commodities, 0) as covered_share,
        n_servers,
        n_used,
        {{ to_double('n_used') }} / nullif(n_servers, 0) as used_share
    from {{ ref('stg_commodity_floor') }}
)

select * from final
