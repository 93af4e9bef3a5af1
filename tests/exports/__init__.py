"""What a job or a release is written as: reports, scripts, dbt, SQLMesh."""
