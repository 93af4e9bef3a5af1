"""Joint risk: k-anonymity of a release for a reader who also has earlier releases of the same source.

Reading order: ``companion`` (calls by a run, choice of earlier releases), ``named_releases`` (those named by the job),
``joint_partition`` (rows by their classes in several releases), ``partition_file`` (saved partition), ``joint_k``
(computed figures), ``joint_risk`` (all figures of a release), ``refusal`` (refusals and warnings).
"""
