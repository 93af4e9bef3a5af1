"""Unrestricted single-dimension recoding: every leaf at a level of its own."""
