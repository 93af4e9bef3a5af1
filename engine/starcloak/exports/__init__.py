"""What a release becomes beside its rows: its script, a dbt model, its report."""
