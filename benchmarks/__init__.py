"""Benchmarks: ``python -m benchmarks`` lists them. Each writes a JSON file with commit, machine and versions."""
