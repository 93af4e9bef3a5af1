"""Drawings made by templates: SVG that escapes whatever it is given, and needs neither a script nor a network."""
