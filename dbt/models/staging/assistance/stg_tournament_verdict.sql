{% set columns = ['task', 'mode', 'run', 'judge', 'first', 'second', 'choice'] %}
{% set columns = columns + ['mean_score_first', 'mean_score_second'] %}

with given as (
    {{ landed_tournament(
        'tournament_verdict', 'tournament_llm_verdict', columns, llm_faults=true, only_files=['preference']
    ) }}
),

candidates as (
    select * from {{ ref('stg_candidate') }}
),

deliverables as (
    select
        task,
        mode,
        run,
        candidate,
        n_characters
    from {{ ref('stg_tournament_output') }}
    where state = 'accepted'
),

handed_in as (
    select distinct
        task,
        mode
    from deliverables
),

named as (
    select
        given.*,
        judges.candidate is not null as is_judge_known,
        firsts.candidate is not null as is_first_known,
        seconds.candidate is not null as is_second_known,
        first_texts.n_characters as n_characters_first,
        second_texts.n_characters as n_characters_second,
        lower(judges.family) as judge_family,
        {# the unaided worker belongs to no family #}
        case
            when not (given.mode = 'augmentation' and firsts.is_worker) then lower(firsts.family)
        end as first_family,
        case
            when not (given.mode = 'augmentation' and seconds.is_worker) then lower(seconds.family)
        end as second_family,
        {# what a line is by itself, its reader has decided; here, what it is beside others #}
        case
            when given.fault_column is not null then given.fault_column
            when given.status <> 'answered' then 'choice'
            when coalesce(given.task, 'all') = 'all' then 'task'
            when given.run is null then 'run'
            when judges.family is null then 'judge'
            when firsts.candidate is null then 'first'
            when seconds.candidate is null or given.first = given.second then 'second'
            {# verdicts alone are judged as they come; beside deliverables they need one on each side #}
            when handed_in.task is not null and first_texts.candidate is null then 'first'
            when handed_in.task is not null and second_texts.candidate is null then 'second'
        end as wrong_column
    from given
    left join candidates as judges on given.judge = judges.candidate
    left join candidates as firsts on given.first = firsts.candidate
    left join candidates as seconds on given.second = seconds.candidate
    left join handed_in on given.task = handed_in.task and given.mode = handed_in.mode
    left join deliverables as first_texts
        on
            given.task = first_texts.task
            and given.mode = first_texts.mode
            and given.run = first_texts.run
            and given.first = first_texts.candidate
    left join deliverables as second_texts
        on
            given.task = second_texts.task
            and given.mode = second_texts.mode
            and given.run = second_texts.run
            and given.second = second_texts.candidate
),

numbered as (
    select
        *,
        case
            when wrong_column is null
                then row_number() over (
                    partition by task, mode, run, judge, first, second, wrong_column
                    order by case when call_id is null then 0 else 1 end, source_file, row_number
                )
        end as occurrence,
        case
            when wrong_column = fault_column then fault_value
            when wrong_column = 'judge' then judge
            when wrong_column = 'first' then first
            when wrong_column = 'second' then second
            when wrong_column = 'task' then task
        end as wrong_value
    from named
),

final as (
    select
        source_file,
        row_number,
        call_id,
        task,
        mode,
        run,
        judge,
        first,
        second,
        choice,
        coalesce(preference - 1, case choice when 'second' then 1.0 when 'tie' then 0.5 when 'first' then 0.0 end)
            as share_second,
        mean_score_first,
        mean_score_second,
        n_characters_first,
        n_characters_second,
        coalesce(judge_family = first_family, false) as is_first_own,
        coalesce(judge_family = second_family, false) as is_second_own,
        coalesce(judge_family = first_family, false) or coalesce(judge_family = second_family, false) as is_own_family,
        {{ line_state() }} as state,
        case when occurrence > 1 then 'judge' else wrong_column end as column_name,
        case when occurrence > 1 then judge else wrong_value end as value,
        case
            when occurrence > 1
                then 'duplicate: the judge judged these two in these seats already; the first verdict counts'
            when fault is not null then fault
            when status = 'unparsed' then 'the answer could not be read'
            when status = 'refused' then 'the judge refused'
            when status = 'failed' then 'the call failed'
            when status = 'pending' then 'not asked yet'
            when wrong_value = 'all' and wrong_column in ('judge', 'first', 'second') then 'all stands for everybody'
            when wrong_column = 'judge' and is_judge_known then 'the family is unknown: may not judge'
            when wrong_column = 'second' and first = second then 'a candidate against itself'
            when wrong_column is not null and wrong_value is null then 'blank'
            when wrong_column = 'task' then 'all stands for all tasks'
            when (wrong_column = 'first' and is_first_known) or (wrong_column = 'second' and is_second_known)
                then 'out of order: no deliverable of this candidate in this run'
            when wrong_column is not null then 'not in candidates.csv'
        end as reason
    from numbered
)

select * from final
