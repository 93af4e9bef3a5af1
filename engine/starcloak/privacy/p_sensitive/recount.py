"""The verifier's own count for p-sensitive k-anonymity, equal to the count of distinct l-diversity."""

from starcloak.privacy.l_diversity.recount import recount

__all__ = ["recount"]
