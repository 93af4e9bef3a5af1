"""What a release must satisfy: one folder per privacy model, and the requirement that travels whole."""
