"""Privacy models: their verdicts against plain Python, their monotonicity, and what they cost."""
