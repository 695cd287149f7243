with raw_result as (
    select
        source_file,
        row_number,
        trim(system) as system_name,
        benchmark as benchmark_name,
        item,
        epoch,
        log_version,
        log_status,
        cast(n_asked as bigint) as n_asked,
        coalesce(sample_status, 'success') as sample_status,
        {{ blank_to_null('score_reason') }} as score_reason,
        {{ blank_to_null('model') }} as model,
        {{ blank_to_null('settings') }} as settings,
        {{ blank_to_null('scaffold') }} as scaffold,
        {{ blank_to_null('answered_model') }} as answered_model,
        text_key,
        text_start,
        lower({{ blank_to_null('score') }}) as score_text,
        {{ try_double('score') }} as number
    from {{ source('raw', 'result') }}
),

alias as (
    select * from {{ ref('seed_system_alias') }}
),

task as (
    select * from {{ ref('seed_inspect_task') }}
),

named as (
    select
        raw_result.*,
        coalesce(alias.system, raw_result.system_name) as system,
        coalesce(task.benchmark, raw_result.benchmark_name) as benchmark,
        row_number() over (
            partition by raw_result.source_file, raw_result.benchmark_name, raw_result.item, raw_result.epoch
            order by raw_result.row_number
        ) as occurrence
    from raw_result
    left join alias on raw_result.system_name = alias.alias
    -- a CSV file names benchmarks, only a log names tasks
    left join task on raw_result.log_version is not null and raw_result.benchmark_name = task.task
),

judged as (
    select
        *,
        case
            when sample_status in ('error', 'invalidated') then null
            when number = 1 or score_text in ('c', 'correct', 'true') then {{ to_double('1') }}
            when number = 0 or score_text in ('i', 'incorrect', 'false') then {{ to_double('0') }}
        end as readable_score,
        case
            when {{ blank_to_null('benchmark') }} is null then 'blank dataset name'
            when {{ blank_to_null('item') }} is null then 'blank sample id'
            when occurrence > 1 then 'item stands twice in this file; its first row counts'
        end as reject_reason
    from named
),

final as (
    select
        source_file,
        row_number,
        system,
        benchmark,
        item,
        case
            when reject_reason is not null then 'rejected'
            when readable_score is not null then 'scored'
            when sample_status = 'error' or score_text in ('error', 'errored') then 'errored'
            else 'unscored'
        end as status,
        case when reject_reason is null then readable_score end as score,
        case
            when reject_reason is not null then reject_reason
            when readable_score is not null then null
            when sample_status = 'error' or score_text in ('error', 'errored') then 'errored'
            when sample_status = 'invalidated' then 'invalidated'
            when sample_status = 'missing' then 'asked, but not in the log'
            when score_text is null then 'blank score'
            when score_text in ('nan', '+nan', '-nan') then coalesce('score is NaN: ' || score_reason, 'score is NaN')
            when score_text in ('n', 'noanswer') then 'no answer'
            when (number > 0 and number < 1) or score_text in ('p', 'partial') then 'partial credit'
            when number is not null then 'score outside 0 to 1'
            else 'unreadable score'
        end as reason,
        model,
        settings,
        scaffold,
        answered_model,
        text_key,
        text_start,
        log_status,
        n_asked,
        sample_status = 'missing' as is_missing
    from judged
)

select * from final
