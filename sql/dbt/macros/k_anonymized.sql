{#
    A materialization: a table whose rows are counted before anybody sees them. They are built beside the table that is
    there, counted as by the test k_anonymous, and only then take its place, in one transaction. Where a class has fewer
    than k rows, the model is an error and the table of before stays.

    It generalizes nothing: that is what the model's statement does. It has no incremental form: who knows the table of
    before would see the new rows by themselves, in classes of fewer than k.
#}
{% materialization k_anonymized, default %}
    {%- set quasi_identifiers, k = config.get("quasi_identifiers", []), config.get("k") -%}
    {%- if config.get("unique_key") is not none or config.get("incremental_strategy") is not none -%}
        {{ exceptions.raise_compiler_error(
            "k_anonymized has no incremental form: new rows by themselves are in classes of fewer than k; leave out "
            ~ "unique_key and incremental_strategy"
        ) }}
    {%- endif -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set target = this.incorporate(type="table") -%}
    {%- set staged = make_intermediate_relation(target) -%}
    {%- set before = make_backup_relation(target, "table" if existing is none else existing.type) -%}
    {{ drop_relation_if_exists(load_cached_relation(staged)) }}
    {{ drop_relation_if_exists(load_cached_relation(before)) }}
    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}

    {% call statement("main") -%}
        {{ get_create_table_as_sql(False, staged, sql) }}
    {%- endcall %}
    {%- set violating = run_query(starcloak.violating_classes("k_anonymized", staged, quasi_identifiers, k)) -%}
    {%- if violating.rows | length > 0 -%}
        {%- do drop_relation_if_exists(staged) -%}
        {{ exceptions.raise_compiler_error(
            "a class of " ~ quasi_identifiers | join(", ") ~ " has fewer than " ~ k ~ " rows: the table of before stays"
        ) }}
    {%- endif -%}
    {%- if existing is not none -%}
        {%- do adapter.rename_relation(existing, before) -%}
    {%- endif -%}
    {%- do adapter.rename_relation(staged, target) -%}

    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {%- do apply_grants(target, config.get("grants"), should_revoke=should_revoke(existing, full_refresh_mode=True)) -%}
    {%- do persist_docs(target, model) -%}
    {{ adapter.commit() }}
    {{ drop_relation_if_exists(before) }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
