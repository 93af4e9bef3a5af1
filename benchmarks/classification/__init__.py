"""What a release is worth to a classifier, and Top-Down Refinement by size (Fung, Wang, Yu 2007)."""
