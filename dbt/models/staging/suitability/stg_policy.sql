with

policies as (
    select
        trim(policy) as policy,
        {# a number that is too large to hold is none, and no infinity either #}
        case
            when lower(trim(power)) in ('inf', '-inf') then {{ to_double('trim(power)') }}
            else {{ try_double('power') }}
        end as power,
        {{ try_double('sharpness') }} as sharpness,
        lower(trim(weighting)) as weighting,
        lower(trim(importance_type)) as importance_type,
        lower(trim(weight_uncertainty)) as weight_uncertainty,
        case lower(trim(is_default)) when 'true' then true when 'false' then false end as is_default
    from {{ ref('policies') }}
),

parsed as (
    select
        *,
        case
            when weight_uncertainty like 'fixed:%' then {{ try_double('substring(weight_uncertainty, 7)') }}
        end as weight_kappa,
        count(*) over (partition by policy) as n_named,
        sum(case when is_default then 1 else 0 end) over () as n_default
    from policies
),

final as (
    select
        policy,
        power,
        sharpness,
        weighting,
        importance_type,
        weight_uncertainty,
        weight_kappa,
        is_default,
        case
            when coalesce(policy, '') = '' then 'policy: blank; give the row a name'
            when n_named > 1 then 'policy: another row has this name'
            when power is null then 'power: neither a number that can be held nor inf or -inf'
            when sharpness is null or sharpness < 1 then 'sharpness: no finite number of at least 1'
            when weighting is null or weighting not in ('raw', 'relative') then 'weighting: neither raw nor relative'
            when importance_type is null or importance_type not in ('frequency_adjusted', 'conditional')
                then 'importance_type: neither frequency_adjusted nor conditional'
            when
                weight_uncertainty is null
                or (weight_uncertainty not in ('none', 'dirichlet') and coalesce(weight_kappa, 0) <= 0)
                then 'weight_uncertainty: neither none, dirichlet nor fixed: with a positive number, such as fixed:50'
            when is_default is null then 'is_default: neither true nor false'
            when n_default <> 1 then 'is_default: exactly one row must be the default'
        end as reason
    from parsed
)

select * from final
