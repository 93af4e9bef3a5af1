"""Drawings from templates: SVG with escaped values, without a script or a network."""
