"""Runs: from an opened source to a published release, by proposal, staging, verification and publication."""
