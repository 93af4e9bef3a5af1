"""Optional features of a run, a folder each: the core calls them, and names none."""
