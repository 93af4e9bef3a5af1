"""Recodings side by side: what they lose and take, by k and by size."""
