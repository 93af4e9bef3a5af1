"""Cell suppression: a cell stays, or goes."""
