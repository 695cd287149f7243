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
    from {{ ref('stg_request_match') }}
),

{# cosines have 6 decimals: a million of them are few different ones #}
nearest as (
    select
        nearest_cosine as cosine,
        count(*) as n_chats
    from {{ ref('stg_chat_request') }}
    where request_key is not null
    group by nearest_cosine
),

counted as (
    select
        floor_value.floor_cosine,
        sum(nearest.n_chats) as n_all,
        sum(case when nearest.cosine >= floor_value.floor_cosine then nearest.n_chats else 0 end) as n_chats
    from nearest
    cross join floor_value
    group by floor_value.floor_cosine
),

final as (
    select
        embedder.embedder,
        embedder.weights_sha256,
        counted.floor_cosine as match_floor,
        cast(counted.n_chats as bigint) as n_chats,
        {{ to_double('counted.n_chats') }} / counted.n_all as share
    from counted
    cross join embedder
)

select * from final
