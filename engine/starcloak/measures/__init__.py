"""What a release costs its user: measures by its recoding, and by its classes."""
