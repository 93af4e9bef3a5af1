"""Each command besides run, and how the command line behaves in scripts and at its end."""
