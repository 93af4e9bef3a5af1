"""The verifier's own count of p-sensitive k-anonymity: that of distinct l-diversity."""

from starcloak.privacy.l_diversity.recount import recount

__all__ = ["recount"]
