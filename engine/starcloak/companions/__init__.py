"""Optional features of a run (companions), one folder each. The core calls registered companions and imports none."""
