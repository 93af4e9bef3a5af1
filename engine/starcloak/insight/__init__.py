"""What a run can say at once of what it released, beside the release: for reports and for its warnings."""
