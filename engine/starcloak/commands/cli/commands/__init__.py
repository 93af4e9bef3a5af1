"""The commands: each is defined by a module of its name."""
