"""What goes beside a release and what is made of one: manifest, events, dbt, previews in other dialects."""
