{# what a table was made from, noted in its own transaction: dagster_project/runs/version_table.py says which columns #}
{% macro note_version() %}{{ return(adapter.dispatch('note_version')()) }}{% endmacro %}

{# engines whose rows are not hashed by DuckDB keep no notes #}
{% macro default__note_version() %}{% endmacro %}

{% macro duckdb__note_version() %}
    {% set origin = model.config.meta.get('origin') %}
    {% set name = this.schema ~ '.' ~ this.identifier %}
    {% if origin %}
        delete from state.version where name = '{{ name }}';
        delete from state.failed_check where name = '{{ name }}';
        insert into state.version by name
        select
            '{{ name }}' as name,
            '{{ origin.code_version }}' as code_version,
            '{{ origin.settings | replace("'", "''") }}' as settings,
            (
                select coalesce(json_group_object(name, data_version), '{}')
                from state.version
                where name in ('{{ origin.reads | join("', '") }}')
            ) as inputs,
            false as is_checked,
            '' as reason,
            '' as refresh_id,
            '{}' as metadata,
            content.*
        from ({{ origin.content }}) as content
    {% elif load_relation(api.Relation.create(database=this.database, schema='state', identifier='version')) %}
        {# by hand: from what it was made is not known, so the next refresh makes it again #}
        delete from state.version where name = '{{ name }}'
    {% endif %}
{% endmacro %}
