"""A statement, its file, its display, its example and its documentation."""
