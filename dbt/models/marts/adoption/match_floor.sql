with

floor_value as (
    {% for step in range(21) %}
    select {{ to_double(step) }} / 20 as floor_cosine
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

embedder as (
    select distinct
        embedder,
        weights_sha256
    from {{ source('model', 'request_match') }}
),

{# cosines have 6 decimals: a million of them are few different ones #}
nearest as (
    select
        nearest_cosine as cosine,
        count(*) as n_chats
    from {{ source('model', 'chat_request') }}
    where request_key is not null
    group by nearest_cosine
),

final as (
    select
        embedder.embedder,
        embedder.weights_sha256,
        floor_value.floor_cosine as match_floor,
        cast(sum(case when nearest.cosine >= floor_value.floor_cosine then nearest.n_chats else 0 end) as bigint) as n_chats,
        {{ to_double(
            'sum(case when nearest.cosine >= floor_value.floor_cosine then nearest.n_chats else 0 end)'
        ) }} / sum(nearest.n_chats) as share
    from nearest
    cross join floor_value
    cross join embedder
    group by
        embedder.embedder,
        embedder.weights_sha256,
        floor_value.floor_cosine
)

select * from final
