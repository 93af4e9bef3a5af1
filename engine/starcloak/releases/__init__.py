"""From an opened source to a release in its place: a run, its proposal, stage, verification and publication."""
