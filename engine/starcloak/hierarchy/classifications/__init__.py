"""Ready-made classifications: one module per classification, and the registry of all."""
