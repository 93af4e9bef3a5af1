"""Unrestricted multi-dimension recoding: every tuple to a generalization of its own."""
