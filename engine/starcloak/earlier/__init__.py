"""Earlier releases of a source: what became of whom there, and what both releases together tell.

Reading order: ``recoded`` (a recoding as tables), ``whose`` (whose the rows are), ``kept`` (where it stays), ``joint``
(what two of them tell),
``told`` (those that a run looks at), ``applied`` (the same mask for other rows).
"""
