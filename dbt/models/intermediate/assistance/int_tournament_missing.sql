with verdict as (
    select * from {{ ref('stg_tournament_verdict') }}
    where mode in ('automation', 'augmentation')
),

candidates as (
    select * from {{ ref('stg_candidate') }}
),

present as (
    select
        task,
        mode,
        run,
        candidate
    from {{ ref('stg_tournament_output') }}
    where state = 'accepted'
    union distinct
    select
        task,
        mode,
        run,
        first as candidate
    from verdict
    where state = 'accepted'
    union distinct
    select
        task,
        mode,
        run,
        second as candidate
    from verdict
    where state = 'accepted'
),

judged as (
    select distinct
        verdict.task,
        verdict.mode,
        verdict.judge,
        lower(candidates.family) as family
    from verdict
    inner join candidates on verdict.judge = candidates.candidate
    where candidates.family is not null
),

pool as (
    select
        present.*,
        case
            when present.mode = 'augmentation' and candidates.is_worker then null
            else lower(candidates.family)
        end as family
    from present
    inner join candidates on present.candidate = candidates.candidate
),

expected as (
    select
        pool.task,
        pool.mode,
        pool.run,
        judged.judge,
        pool.candidate as candidate_a,
        other.candidate as candidate_b
    from pool
    inner join pool as other
        on
            pool.task = other.task
            and pool.mode = other.mode
            and pool.run = other.run
            and pool.candidate < other.candidate
    inner join judged
        on
            pool.task = judged.task
            and pool.mode = judged.mode
            and coalesce(pool.family <> judged.family, true)
            and coalesce(other.family <> judged.family, true)
),

given as (
    select distinct
        task,
        mode,
        run,
        judge,
        case when first < second then first else second end as candidate_a,
        case when first < second then second else first end as candidate_b
    from verdict
),

final as (
    select
        expected.*,
        given.judge is not null as is_sent
    from expected
    left join given
        on
            expected.task = given.task
            and expected.mode = given.mode
            and expected.run = given.run
            and expected.judge = given.judge
            and expected.candidate_a = given.candidate_a
            and expected.candidate_b = given.candidate_b
    left join {{ ref('int_tournament_comparison') }} as comparison
        on
            expected.task = comparison.task
            and expected.mode = comparison.mode
            and expected.run = comparison.run
            and expected.judge = comparison.judge
            and expected.candidate_a = comparison.candidate_a
            and expected.candidate_b = comparison.candidate_b
    where comparison.judge is null
)

select * from final
