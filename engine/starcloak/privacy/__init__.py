"""Requirements on a release: one folder per privacy model, and the requirement passed whole from job to verifier."""
