"""Earlier releases of a source: what became of whom there, and what all releases together tell.

Reading order: ``recoded`` (a recoding as tables), ``whose`` (whose the rows are), ``kept`` (where it stays),
``partition`` (rows by their classes in several releases), ``partition_file`` (where that stays), ``joint`` (what they
tell), ``joint_risk`` (which a run looks at), ``joint_verdict`` (what is refused, and what warns), ``told`` (what comes
of it), ``applied`` (the same mask for other rows).
"""
