"""Recodings of releases, kept for later runs: the class of each tuple, and whether the release is published."""
