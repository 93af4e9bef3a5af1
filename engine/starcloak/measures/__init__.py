"""Cost of a release for its user: measures of its recoding, and of its classes."""
