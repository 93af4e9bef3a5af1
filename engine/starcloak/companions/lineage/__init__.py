"""Lineage: the OpenLineage events of a run."""
