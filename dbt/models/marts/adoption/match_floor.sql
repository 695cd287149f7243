with

floor_value as (
    {% for step in range(21) %}
    select {{ to_double(step) }} / 20 as floor_cosine
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

nearest as (
    select
        embedder,
        weights_sha256,
        cosine
    from {{ source('model', 'chat_match') }}
    where rank = 1
),

final as (
    select
        nearest.embedder,
        nearest.weights_sha256,
        floor_value.floor_cosine as match_floor,
        cast(sum(case when nearest.cosine >= floor_value.floor_cosine then 1 else 0 end) as bigint) as n_chats,
        {{ to_double(
            'sum(case when nearest.cosine >= floor_value.floor_cosine then 1 else 0 end)'
        ) }} / count(*) as share
    from nearest
    cross join floor_value
    group by
        nearest.embedder,
        nearest.weights_sha256,
        floor_value.floor_cosine
)

select * from final
