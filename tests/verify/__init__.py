"""The verifier against forged releases, by every type that cells have."""
