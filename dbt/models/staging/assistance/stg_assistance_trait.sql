{% set traits = ['specificity', 'structure', 'against_task', 'leaks_deliverable'] %}
{% set columns = ['task', 'mode', 'run', 'candidate', 'judge'] + traits %}

with given as (
    {{ landed_tournament('assistance_trait', 'assistance_llm_trait', columns) }}
),

candidates as (
    select * from {{ ref('stg_candidate') }}
),

unpivoted as (
    {% for trait in traits %}
    select
        source_file,
        row_number,
        status,
        task,
        mode,
        run,
        candidate,
        judge,
        '{{ trait }}' as trait,
        {# true and false are the ends of the scale: another judge may have coded the same text from 0 to 10 #}
        case lower({{ trait }}) when 'true' then '10' when 'false' then '0' else {{ trait }} end as answer,
        fault_column,
        fault_value,
        fault
    from given
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

named as (
    select
        unpivoted.*,
        {{ try_double('unpivoted.answer') }} as score,
        lower(judges.family) = lower(candidates.family) as is_own_family,
        case
            when unpivoted.fault_column is not null then unpivoted.fault_column
            when unpivoted.status <> 'answered' then unpivoted.trait
            when unpivoted.task is null then 'task'
            when coalesce(unpivoted.mode, '') <> 'augmentation' then 'mode'
            when unpivoted.run is null then 'run'
            when candidates.candidate is null then 'candidate'
            when judges.candidate is null then 'judge'
            when judges.candidate = candidates.candidate or lower(judges.family) = lower(candidates.family) then 'judge'
            when not coalesce({{ try_double('unpivoted.answer') }} between 0 and 10, false) then unpivoted.trait
        end as wrong_column
    from unpivoted
    left join candidates on unpivoted.candidate = candidates.candidate
    left join candidates as judges on unpivoted.judge = judges.candidate
),

numbered as (
    select
        *,
        case
            when wrong_column is null
                then row_number() over (
                    partition by task, run, candidate, judge, trait, wrong_column order by source_file, row_number
                )
        end as occurrence
    from named
),

final as (
    select
        source_file,
        row_number,
        task,
        run,
        candidate,
        judge,
        trait,
        score,
        {{ line_state() }} as state,
        case when occurrence > 1 then 'judge' else wrong_column end as column_name,
        case
            when wrong_column = fault_column then fault_value
            when wrong_column = 'candidate' then candidate
            when wrong_column = 'mode' then mode
            when wrong_column = 'judge' or occurrence > 1 then judge
            when wrong_column = trait then answer
        end as value,
        case
            when occurrence > 1 then 'duplicate: the first coding counts'
            when fault is not null then fault
            when status = 'unparsed' then 'the answer could not be read'
            when status = 'refused' then 'the judge refused'
            when status = 'failed' then 'the call failed'
            when status = 'pending' then 'not asked yet'
            when wrong_column = 'mode' then 'not augmentation: only there is assistance'
            when wrong_column = 'judge' and judge = candidate then 'the author itself: may not code'
            when wrong_column = 'judge' and is_own_family then 'of the family of the author: may not code'
            when wrong_column in ('candidate', 'judge') then 'not in candidates.csv'
            when wrong_column = trait and answer is not null then 'neither a number from 0 to 10 nor true or false'
            when wrong_column is not null then 'blank'
        end as reason
    from numbered
)

select * from final
