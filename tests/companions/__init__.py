"""Optional features of a run: joint risk, refresh, insight, spelling, lineage, runs with nothing to do."""
