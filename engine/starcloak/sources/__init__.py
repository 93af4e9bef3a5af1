"""Sources of rows: files, data frames, datasets and databases, opened with the roles of their columns."""
