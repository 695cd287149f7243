with

matrix as (
    select * from {{ ref('int_importance_matrix') }}
),

vectors as (
    {% for unit_type, unit, cell in [
        ('capability', 'capability', 'activity'),
        ('activity', 'activity', 'capability'),
        ('matrix', "'all'", "activity || ' ' || capability"),
    ] %}
    select
        sample_type,
        sample_name,
        '{{ unit_type }}' as unit_type,
        {{ unit }} as unit,
        {{ cell }} as cell,
        points
    from matrix
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

means as (
    select
        sample_type,
        sample_name,
        unit_type,
        unit,
        {{ exact_avg('points') }} as mean_points,
        max(points) > 0 as has_points,
        {# equal means of unequal counts may differ in their last bit #}
        max(points) - min(points) > 1e-9 as has_variation
    from vectors
    group by sample_type, sample_name, unit_type, unit
),

centred as (
    select
        vectors.*,
        case when means.has_points then vectors.points end as value,
        case when means.has_variation then vectors.points - means.mean_points end as deviation
    from vectors
    inner join means
        on
            vectors.sample_type = means.sample_type
            and vectors.sample_name = means.sample_name
            and vectors.unit_type = means.unit_type
            and vectors.unit = means.unit
),

lengths as (
    select
        sample_type,
        sample_name,
        unit_type,
        unit,
        sqrt({{ exact_sum('value * value') }}) as value_length,
        sqrt({{ exact_sum('deviation * deviation') }}) as deviation_length
    from centred
    group by sample_type, sample_name, unit_type, unit
),

{# vectors of length 1: their products are the cosine and the correlation #}
directions as (
    select
        centred.sample_type,
        centred.sample_name,
        centred.unit_type,
        centred.unit,
        centred.cell,
        centred.value / lengths.value_length as value,
        centred.deviation / lengths.deviation_length as deviation
    from centred
    inner join lengths
        on
            centred.sample_type = lengths.sample_type
            and centred.sample_name = lengths.sample_name
            and centred.unit_type = lengths.unit_type
            and centred.unit = lengths.unit
),

products as (
    select
        a.sample_type,
        a.sample_name as sample_a,
        b.sample_name as sample_b,
        a.unit_type,
        a.unit,
        {{ exact_sum('a.value * b.value') }} as cosine,
        {{ exact_sum('a.deviation * b.deviation') }} as pearson
    from directions as a
    inner join directions as b
        on
            a.sample_type = b.sample_type
            and a.sample_name < b.sample_name
            and a.unit_type = b.unit_type
            and a.unit = b.unit
            and a.cell = b.cell
    group by a.sample_type, a.sample_name, b.sample_name, a.unit_type, a.unit
),

final as (
    select
        sample_type,
        sample_a,
        sample_b,
        unit_type,
        unit,
        {# rounding may lead a little past 1 #}
        case when cosine > 1 then 1 else cosine end as cosine,
        case when pearson > 1 then 1 when pearson < -1 then -1 else pearson end as pearson
    from products
)

select * from final
