{% set counts = {
    'Winner stable': 'case when is_winner_stable then 1 else 0 end',
    'Unique rankings': 'n_rankings',
    'Invariant pairs': 'n_invariant_pairs',
    'Separated pairs, certain weights': 'n_separated_pairs_fixed_weights',
    'Separated pairs, sampled weights': 'n_separated_pairs',
} %}

with

disclosed as (
    select * from {{ ref('int_disclosed_importance') }}
),

pooled as (
    select
        computed.*,
        case computed.scope_type when 'all' then 'All' else computed.scope end as column_name
    from {{ ref('stg_published_suitability') }} as computed
),

robustness as (
    select * from {{ ref('int_ranking_robustness') }}
    where basis = 'published_c6'
),

sensitivity as (
    select * from {{ ref('int_policy_sensitivity') }}
    where basis = 'published_c6'
),

neutral as (
    select
        system,
        activity,
        mean_log
    from {{ ref('int_suitability_sweep') }}
    where basis = 'published_c6' and weight_uncertainty = 'none' and power = 0 and sharpness = 1
),

grouped as (
    select
        case
            when system in ('Gemini 3.1 Pro', 'Gemini 3 Flash') then system
            else 'the other four systems'
        end as row_name,
        mean_log
    from neutral
),

ranges as (
    select
        row_name,
        min(mean_log) as lowest,
        max(mean_log) as highest
    from grouped
    group by row_name
),

computed as (
    {{ figures('robustness', 'Table C7', 'activity', counts) }}
    union all
    {{ figures('ranges', 'Section 4.4.1', 'row_name', {'lowest log S': 'lowest', 'highest log S': 'highest'}) }}
    union all
    {% for power in ['-2', '-1', '-0.5', '0', '0.5', '1', '2'] %}
    {% for sharpness in ['1', '2', '4', '8'] %}
    select
        'Table C8' as table_name,
        's = {{ sharpness }}' as row_name,
        'p = {{ power }}' as column_name,
        kendall_tau as computed
    from sensitivity
    where power = {{ power }} and sharpness = {{ sharpness }}
    union all
    {% endfor %}
    {% endfor %}
    select
        'Table C9' as table_name,
        activity as row_name,
        column_name,
        mean_log as computed
    from pooled
    union all
    select
        'Table C10' as table_name,
        pooled.activity as row_name,
        pooled.column_name,
        ln(nullif(disclosed.conditional_importance, 0)) + pooled.mean_log as computed
    from pooled
    inner join disclosed
        on
            pooled.scope_type = disclosed.scope_type
            and pooled.scope = disclosed.scope
            and pooled.activity = disclosed.activity
    union all
    select
        'Section 4.4.1' as table_name,
        'GPT-4o mini' as row_name,
        'log S of Building rapport' as column_name,
        mean_log as computed
    from neutral
    where system = 'GPT-4o-mini' and activity = 'Building rapport'
),

final as (
    select
        'task-suitability-profiles' as paper,
        table_name,
        row_name,
        column_name,
        computed
    from computed
    {# a suppressed cell compares with nothing #}
    where computed is not null
)

select * from final
