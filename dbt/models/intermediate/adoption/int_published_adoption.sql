{% set embedders = {
    'all-mpnet-base-v2': '%all-mpnet-base-v2%',
    'Qwen3-Emb.-0.6B': '%qwen3-embedding-0.6b%',
    'Qwen3-Emb.-8B': '%qwen3-embedding-8b%',
} %}

with

activity as (
    select
        nullif(sum(case when level = 'DWA' then 1 else 0 end), 0) as n_dwa,
        nullif(sum(case when level = 'IWA' then 1 else 0 end), 0) as n_iwa,
        nullif(sum(case when level = 'GWA' then 1 else 0 end), 0) as n_gwa
    from {{ ref('int_work_activity') }}
),

skill as (
    select nullif(count(distinct skill), 0) as n_skills
    from {{ ref('int_occupation_skill') }}
),

commodity as (
    select nullif(count(distinct commodity_code), 0) as n_commodities
    from {{ ref('stg_technology_skill') }}
),

chat as (
    select nullif(count(*), 0) as n_chats
    from {{ ref('stg_chat') }}
),

request as (
    select nullif(count(*), 0) as n_unique_english
    from {{ ref('stg_chat_request') }}
),

embedder as (
    select
        case
            {% for printed, pattern in embedders.items() %}
            when lower(embedder) like '{{ pattern }}' then '{{ printed }}'
            {% endfor %}
        end as row_name,
        pearson_r
    from {{ ref('stg_embedder_validation') }}
    where has_root
),

cells as (
    {{ figures('activity', 'Section 2.1', "'O*NET'", ['n_dwa', 'n_iwa', 'n_gwa']) }}
    union all
    {{ figures('skill', 'Section 2.2', "'O*NET'", ['n_skills']) }}
    union all
    {{ figures('commodity', 'Appendix A.1', "'O*NET'", ['n_commodities']) }}
    union all
    {{ figures('chat', 'Section 2.1', "'WildChat-4.8M'", ['n_chats']) }}
    union all
    {{ figures('request', 'Section 2.1', "'WildChat-4.8M'", ['n_unique_english']) }}
    union all
    {{ figures('embedder', 'Table 2', 'row_name', ['pearson_r']) }}
),

final as (
    select
        'open-economic-index' as paper,
        table_name,
        row_name,
        column_name,
        computed
    from cells
    where row_name is not null and computed is not null
)

select * from final
