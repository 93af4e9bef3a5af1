"""Frequency sets, cubes, levels and labels."""
