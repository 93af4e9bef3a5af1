"""Exports of a release: its script, a dbt model, its report."""
