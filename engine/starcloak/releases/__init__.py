"""From an opened source to a release in its place: run, verify, publish; earlier releases; scripts, dbt, the report."""
