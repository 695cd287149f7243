with verdict as (
    select * from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted'
),

outputs as (
    select * from {{ ref('stg_tournament_output') }}
    where state = 'accepted'
),

measured as (
    select
        verdict.*,
        firsts.n_characters as n_characters_first,
        seconds.n_characters as n_characters_second
    from verdict
    left join outputs as firsts
        on
            verdict.task = firsts.task
            and verdict.mode = firsts.mode
            and verdict.run = firsts.run
            and verdict.first = firsts.candidate
    left join outputs as seconds
        on
            verdict.task = seconds.task
            and verdict.mode = seconds.mode
            and verdict.run = seconds.run
            and verdict.second = seconds.candidate
),

hit as (
    select
        judge,
        'first_seat' as bias,
        task,
        mode,
        run,
        case when choice = 'first' then 1.0 else 0.0 end as hit
    from measured
    where choice <> 'tie'
    union all
    select
        judge,
        'longer_answer' as bias,
        task,
        mode,
        run,
        case when (choice = 'first') = (n_characters_first > n_characters_second) then 1.0 else 0.0 end as hit
    from measured
    where choice <> 'tie' and n_characters_first <> n_characters_second
    union all
    select
        judge,
        'own_family' as bias,
        task,
        mode,
        run,
        case
            when choice = 'tie' then 0.5
            when (choice = 'first') = is_first_own then 1.0
            else 0.0
        end as hit
    from measured
    where is_first_own <> is_second_own
),

final as (
    select
        judge,
        bias,
        task,
        mode,
        run,
        {{ to_double('sum(hit)') }} as n_hits,
        cast(count(*) as bigint) as n
    from hit
    group by judge, bias, task, mode, run
)

select * from final
