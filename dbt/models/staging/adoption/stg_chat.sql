{{ config(materialized='view') }}

with

labelled as (
    select
        *,
        replace(lower(language_label), '_', '-') as label
    from {{ source('raw', 'chat') }}
),

chat as (
    select
        *,
        label in ('english', 'en', 'eng') or label like 'en-%' as is_label_english,
        language_detected = 'English' as is_detected_english
    from labelled
),

final as (
    select
        source_file,
        row_number,
        chat_id,
        form,
        chat_key,
        request_key,
        text,
        request,
        n_turns,
        n_characters,
        n_cut,
        n_masked,
        language_label,
        language_detected,
        case
            when upper(replace(country, '.', '')) in ('US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA')
                then 'US'
            else country
        end as country,
        chat.at as at_given,
        {{ try_timestamp('chat.at') }} as at,
        problem,
        problem is null as is_usable,
        {# neither of the two may say otherwise, and one must say so or a setting in their place #}
        coalesce(is_label_english, is_detected_english, {{ var('assume_english') }})
        and coalesce(is_detected_english, is_label_english, {{ var('assume_english') }}) as is_english,
        coalesce(is_label_english <> is_detected_english, false) as is_language_disputed,
        is_label_english is null and is_detected_english is null as is_language_unknown
    from chat
)

select * from final
