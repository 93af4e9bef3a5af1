"""Whatever cannot be used is refused in one line."""
