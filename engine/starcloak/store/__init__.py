"""The working store, and the databases (hosts) used with it, to run statements."""
