with coding as (
    select
        task,
        run,
        candidate,
        trait,
        {{ exact_avg('score') }} as score,
        cast(count(*) as bigint) as n_judges
    from {{ ref('stg_assistance_trait') }}
    where state = 'accepted'
    group by task, run, candidate, trait
),

ranked as (
    select
        task,
        run,
        candidate,
        mean_rank,
        row_number() over (partition by task, run order by {{ nine_decimals('mean_rank') }}, candidate) as from_best,
        row_number() over (partition by task, run order by {{ nine_decimals('mean_rank') }} desc, candidate desc)
            as from_worst,
        count(*) over (partition by task, run) as n_ranked
    from {{ ref('int_tournament_run_rank') }}
    where mode = 'augmentation' and not is_unaided
),

final as (
    select
        coding.task,
        coding.run,
        coding.candidate,
        coding.trait,
        coding.score,
        coding.n_judges,
        ranked.mean_rank,
        coding.n_judges >= 2 and ranked.mean_rank is not null as is_used,
        {# no text is both: of three, the middle one is neither #}
        ranked.from_best <= 2 and 2 * ranked.from_best <= ranked.n_ranked as is_among_best,
        ranked.from_worst <= 2 and 2 * ranked.from_worst <= ranked.n_ranked as is_among_worst
    from coding
    left join ranked
        on coding.task = ranked.task and coding.run = ranked.run and coding.candidate = ranked.candidate
)

select * from final
