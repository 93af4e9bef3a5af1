"""Statements: their files, what fills them, how they are shown and documented."""
