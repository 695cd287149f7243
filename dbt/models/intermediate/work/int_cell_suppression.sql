with

{# one company in a file is that file: where companies answered, every scope of the survey is theirs #}
survey as (
    select
        case
            when count(*) > 0 then {{ [var('min_company_cell') | int, var('min_cell') | int] | max }}
            else {{ var('min_cell') }}
        end as min_respondents
    from {{ ref('int_respondent_qc') }}
    where is_kept and company is not null
),

cells as (
    select
        importance.scope_type,
        importance.scope,
        importance.activity,
        importance.n_selected,
        importance.n_respondents,
        case
            when importance.scope_type in ('role', 'duty') then {{ var('min_cell') }}
            else survey.min_respondents
        end as min_respondents
    from {{ ref('int_activity_importance') }} as importance
    cross join survey
),

company_sources as (
    select
        company,
        min(source) as source
    from {{ ref('int_respondent_qc') }}
    where is_kept and company is not null
    group by company
    having min(source) = max(source)
),

{# published wholes, and the published parts that lie inside them #}
parts as (
    select distinct
        scope_type,
        scope,
        'all' as whole_type,
        'all' as whole
    from cells
    where scope_type in ('domain', 'source', 'company')
    union all
    select
        'company' as scope_type,
        company as scope,
        'source' as whole_type,
        source as whole
    from company_sources
),

added_up as (
    select
        cells.scope_type,
        cells.scope,
        cells.activity,
        cells.n_selected,
        cells.min_respondents,
        coalesce(
            sum(cells.n_selected) over (
                partition by parts.whole_type, parts.whole, cells.scope_type, cells.activity
                order by cells.n_selected, cells.scope
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as n_in_smaller,
        wholes.n_selected - sum(cells.n_selected) over (
            partition by parts.whole_type, parts.whole, cells.scope_type, cells.activity
        ) as n_in_no_part
    from parts
    inner join cells
        on
            parts.scope_type = cells.scope_type
            and parts.scope = cells.scope
    inner join cells as wholes
        on
            parts.whole_type = wholes.scope_type
            and parts.whole = wholes.scope
            and cells.activity = wholes.activity
),

complements as (
    select distinct
        scope_type,
        scope,
        activity
    from added_up
    where
        n_selected > 0
        and n_in_smaller + n_in_no_part > 0
        and n_in_smaller + n_in_no_part < min_respondents
),

final as (
    select
        cells.scope_type,
        cells.scope,
        cells.activity,
        cast(cells.min_respondents as bigint) as min_respondents,
        case
            when
                cells.scope_type in ('source', 'company') and cells.n_respondents < cells.min_respondents
                then 'few_respondents'
            when cells.n_selected > 0 and cells.n_selected < cells.min_respondents then 'few_respondents'
            when complements.activity is not null then 'complement'
        end as suppression
    from cells
    left join complements
        on
            cells.scope_type = complements.scope_type
            and cells.scope = complements.scope
            and cells.activity = complements.activity
)

select * from final
