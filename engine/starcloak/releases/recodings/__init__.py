"""Recodings of releases, saved for later runs: the class of each tuple, and the state of the release's publication."""
