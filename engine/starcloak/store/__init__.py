"""The working store and the databases beside it: where statements run."""
