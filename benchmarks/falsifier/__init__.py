"""A falsifier: random jobs, run and held against an oracle in plain Python that shares nothing with the engine."""
