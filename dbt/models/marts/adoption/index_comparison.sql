with

given as (
    select
        index_name,
        level,
        count(*) as n_given,
        sum(case when method = 'nearest' then 1 else 0 end) as n_by_nearest,
        sum(case when matched_unit is null then 1 else 0 end) as n_unmatched
    from {{ ref('int_index_match') }}
    group by
        index_name,
        level
),

compared as (
    select
        index_name,
        level,
        n_given,
        n_by_nearest,
        n_unmatched
    from given
    where level <> 'task'
    union all
    select
        index_name,
        'occupation' as level,
        n_given,
        n_by_nearest,
        n_unmatched
    from given
    where level = 'task'
    union all
    select
        index_name,
        'IWA' as level,
        n_given,
        n_by_nearest,
        n_unmatched
    from given
    where level = 'task'
),

pair as (
    select * from {{ ref('int_index_pair') }}
    where ours is not null
),

{# equal values share the mean of their ranks; weights don't move ranks #}
ranked as (
    select
        index_name,
        level,
        weight,
        {{ mean_rank('theirs', 'index_name, level') }} as x,
        {{ mean_rank('ours', 'index_name, level') }} as y
    from pair
),

basis as (
    select
        'plain' as basis,
        index_name,
        level,
        x,
        y,
        {{ to_double('1') }} as weight
    from ranked
    union all
    select
        'weighted' as basis,
        index_name,
        level,
        x,
        y,
        weight
    from ranked
    where weight > 0
),

centre as (
    select
        basis,
        index_name,
        level,
        count(*) as n,
        count(distinct x) as n_x,
        count(distinct y) as n_y,
        {{ exact_sum('weight * x') }} / {{ exact_sum('weight') }} as x_mean,
        {{ exact_sum('weight * y') }} / {{ exact_sum('weight') }} as y_mean
    from basis
    group by
        basis,
        index_name,
        level
),

{# of two units one is always above the other, and a constant has no order #}
correlation as (
    select
        basis.basis,
        basis.index_name,
        basis.level,
        case
            when centre.n >= 3 and centre.n_x > 1 and centre.n_y > 1
                then
                    {{ exact_sum('basis.weight * (basis.x - centre.x_mean) * (basis.y - centre.y_mean)') }}
                    / sqrt(
                        {{ exact_sum('basis.weight * (basis.x - centre.x_mean) * (basis.x - centre.x_mean)') }}
                        * {{ exact_sum('basis.weight * (basis.y - centre.y_mean) * (basis.y - centre.y_mean)') }}
                    )
        end as rho
    from basis
    inner join centre
        on
            basis.basis = centre.basis
            and basis.index_name = centre.index_name
            and basis.level = centre.level
    group by
        basis.basis,
        basis.index_name,
        basis.level,
        centre.n,
        centre.n_x,
        centre.n_y
),

measure as (
    select
        index_name,
        level,
        min(our_measure) as our_measure,
        count(ours) as n
    from {{ ref('int_index_pair') }}
    group by
        index_name,
        level
),

final as (
    select
        compared.index_name as index,
        compared.level,
        measure.our_measure,
        coalesce(measure.n, 0) as n,
        plain.rho as spearman,
        weighted.rho as spearman_weighted,
        'employment' as weighted_by,
        minimum.n_chats,
        compared.n_given,
        cast(compared.n_by_nearest as bigint) as n_by_nearest,
        cast(compared.n_unmatched as bigint) as n_unmatched
    from compared
    left join measure on compared.index_name = measure.index_name and compared.level = measure.level
    left join correlation as plain
        on
            compared.index_name = plain.index_name
            and compared.level = plain.level
            and plain.basis = 'plain'
    left join correlation as weighted
        on
            compared.index_name = weighted.index_name
            and compared.level = weighted.level
            and weighted.basis = 'weighted'
    left join {{ ref('int_chat_minimum') }} as minimum on minimum.n_chats >= 0
)

select * from final
