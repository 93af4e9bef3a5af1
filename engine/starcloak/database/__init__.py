"""Databases that rows never leave: compressed there, recoded there, verified there, published there."""
