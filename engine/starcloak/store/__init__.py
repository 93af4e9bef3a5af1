"""The working store, and the databases (hosts) beside it, where statements run."""
