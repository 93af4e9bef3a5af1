"""What can be said beside a release: risk, measures, what else was to be had, advice."""
