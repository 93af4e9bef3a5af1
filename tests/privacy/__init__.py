"""Privacy models and several quasi-identifiers."""
