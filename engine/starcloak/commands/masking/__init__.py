"""Other rows, masked as a release is."""
