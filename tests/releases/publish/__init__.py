"""Publication, whole or not at all."""
