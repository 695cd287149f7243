{% set quantities = ['automation', 'augmentation', 'usage'] %}

with

share as (
    select * from {{ ref('stg_capability_share') }}
),

wide as (
    select
        occupation,
        system,
        {% for quantity in quantities %}
        max(case when quantity = '{{ quantity }}' then share end) as {{ quantity }}_share,
        max(case when quantity = '{{ quantity }}' then low end) as {{ quantity }}_q025,
        max(case when quantity = '{{ quantity }}' then high end) as {{ quantity }}_q975,
        max(case when quantity = '{{ quantity }}' then n_scenarios end) as n_{{ quantity }},
        {% endfor %}
        max(n_tasks) as n_tasks,
        max(n_servers) as n_servers
    from share
    group by occupation, system
),

final as (
    select
        wide.occupation,
        occupation.title,
        wide.system,
        {% for quantity in quantities %}
        wide.{{ quantity }}_share,
        wide.{{ quantity }}_q025,
        wide.{{ quantity }}_q975,
        coalesce(wide.n_{{ quantity }}, 0) as n_{{ quantity }},
        {% endfor %}
        wide.n_tasks,
        wide.n_servers,
        adoption.chat_share
    from wide
    left join {{ ref('int_occupation') }} as occupation on wide.occupation = occupation.occupation
    left join {{ ref('occupation_adoption') }} as adoption on wide.occupation = adoption.occupation
)

select * from final
