"""The commands: each is a module that defines one, and goes by its name."""
