"""Recodings of releases, kept for later runs: who became what, and which of them are out."""
