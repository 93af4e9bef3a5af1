"""What a release costs its user: one module per measure, and what they are counted from."""
