"""Errors, columns, settings, limits, small counts, frames, interrupts, drawing: what every layer may use."""
