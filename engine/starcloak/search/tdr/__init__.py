"""TDR: Top-Down Refinement, single-dimension recoding for classification.

Fung, Wang, Yu: Anonymizing Classification Data for Privacy Preservation, TKDE 2007. Reading order: ``information``
(entropy), ``masks`` (the masked values of each attribute and their refinements), ``partitions`` (TIPS and QITS: the
effect of a refinement on the counts of a quasi-identifier), ``search`` (one refinement after another), ``tables``
(masks read from the star, and texts of values).
"""
