"""Joint risk: what a release tells together with earlier releases of its source.

Reading order: ``companion`` (its calls), ``known_releases`` (which releases are measured), ``named_releases`` (those
that the job names), ``joint_partition`` (rows by their classes in several releases), ``partition_file`` (where that is
kept), ``joint_k`` (the figures), ``joint_risk`` (refusals and warnings).
"""
