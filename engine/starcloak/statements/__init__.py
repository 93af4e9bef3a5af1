"""A statement, its file, how it is shown, its example and its documentation."""
