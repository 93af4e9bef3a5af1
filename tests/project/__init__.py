"""The form of the project: statements, documentation, rooms, benchmarks, test servers."""
