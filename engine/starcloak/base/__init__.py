"""Errors, columns, settings, limits, small counts, frames, interrupts, drawing, workbooks: parts for every layer."""
