"""The interface for users: the pipeline, the Python interface, the command line."""
