{{ config(materialized='view') }}

with

chat as (
    select
        *,
        case
            when language_label is not null then lower(language_label) in ('english', 'en', 'eng')
        end as is_label_english,
        case when language_detected is not null then language_detected = 'English' end as is_detected_english
    from {{ source('raw', 'chat') }}
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
        case when country in ('United States', 'USA', 'United States of America') then 'US' else country end as country,
        chat.at as at_given,
        {{ try_timestamp('chat.at') }} as at,
        problem,
        problem is null as is_usable,
        {# neither of the two may say otherwise, and one must say so #}
        coalesce(is_label_english, is_detected_english, false)
        and coalesce(is_detected_english, is_label_english, false) as is_english,
        coalesce(is_label_english <> is_detected_english, false) as is_language_disputed
    from chat
)

select * from final
