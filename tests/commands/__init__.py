"""Commands and the Python interface."""
