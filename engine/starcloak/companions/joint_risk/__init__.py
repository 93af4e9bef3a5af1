"""Joint risk: the information in a release and the earlier releases of its source, read together.

Reading order: ``companion`` (its calls, and the releases measured), ``named_releases`` (releases named by the job),
``joint_partition`` (rows by their classes in several releases), ``partition_file`` (the kept partition),
``joint_k`` (the figures), ``joint_risk`` (refusals and warnings).
"""
