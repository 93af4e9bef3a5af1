"""Attribute suppression: an attribute stays, or goes."""
