{% set columns = ['task', 'mode', 'run', 'candidate', 'assistance', 'output'] %}

with given as (
    {{ landed_tournament('tournament_output', 'tournament_llm_output', columns) }}
),

candidates as (
    select * from {{ ref('stg_candidate') }}
),

named as (
    select
        given.*,
        candidates.is_worker,
        case
            when given.fault_column is not null then given.fault_column
            when given.status <> 'answered' then 'output'
            when given.task is null then 'task'
            when given.run is null then 'run'
            when candidates.candidate is null then 'candidate'
            when given.output is null then 'output'
        end as wrong_column
    from given
    left join candidates on given.candidate = candidates.candidate
),

numbered as (
    select
        *,
        case
            when wrong_column is null
                then row_number() over (
                    partition by task, mode, run, candidate, wrong_column
                    order by case when call_id is null then 0 else 1 end, source_file, row_number
                )
        end as occurrence
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
        candidate,
        assistance,
        output,
        case when wrong_column is null then length(output) end as n_characters,
        coalesce(mode = 'augmentation' and is_worker, false) as is_unaided,
        {{ line_state() }} as state,
        case when occurrence > 1 then 'candidate' else wrong_column end as column_name,
        case
            when wrong_column = fault_column then fault_value
            when wrong_column = 'candidate' or occurrence > 1 then candidate
        end as value,
        case
            when occurrence > 1 then 'duplicate: the first deliverable of the run counts'
            when fault is not null then fault
            when status = 'unparsed' then 'the answer could not be read'
            when status = 'refused' then 'the model refused'
            when wrong_column = 'candidate' then 'not in candidates.csv'
            when wrong_column is not null then 'blank'
        end as reason
    from numbered
)

select * from final
