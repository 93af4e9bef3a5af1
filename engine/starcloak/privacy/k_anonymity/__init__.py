"""k-anonymity: every class has at least k rows."""
