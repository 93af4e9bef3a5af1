"""Sources of rows: files, data frames, example datasets and databases.

A role states the permitted use of a column.
"""
