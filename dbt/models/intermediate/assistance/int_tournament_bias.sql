with verdict as (
    select * from {{ ref('stg_tournament_verdict') }}
    where state = 'accepted'
),

hit as (
    select
        judge,
        'first_seat' as bias,
        task,
        mode,
        run,
        case when choice = 'first' then 1.0 else 0.0 end as hit
    from verdict
    where choice <> 'tie'
    union all
    select
        judge,
        'longer_answer' as bias,
        task,
        mode,
        run,
        case when (choice = 'first') = (n_characters_first > n_characters_second) then 1.0 else 0.0 end as hit
    from verdict
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
    from verdict
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
