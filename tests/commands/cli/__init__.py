"""The commands, scripts, Python interface and wheel, on one small table."""
