"""What every other room may use: errors, columns, settings, limits, small counts, files, interrupts."""
