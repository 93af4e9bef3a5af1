"""What a release costs its user: one module per measure."""
