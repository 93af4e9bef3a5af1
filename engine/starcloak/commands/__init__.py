"""What a user calls: the pipeline, the Python interface, the command line."""
