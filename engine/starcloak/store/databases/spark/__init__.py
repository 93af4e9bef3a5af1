"""Spark and Spark Connect."""
