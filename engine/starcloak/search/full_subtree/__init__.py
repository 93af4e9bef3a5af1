"""Full-subtree recoding: a cut through every hierarchy."""
