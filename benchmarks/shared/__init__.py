"""What several benchmarks need: tables, processes, results, plots."""
