"""Errors, columns, settings, limits, small counts, frames, interrupts, drawing: parts available to every layer."""
