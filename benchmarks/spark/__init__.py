"""A table of a lake: whole runs on Spark, and what they cost as the table grows."""
