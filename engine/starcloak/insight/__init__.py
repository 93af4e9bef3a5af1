"""Information beside a release: risk, measures, alternatives, advice."""
