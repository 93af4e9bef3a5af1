"""Places with a release, each made once."""

from tests.verify.staged import made

__all__ = ["made"]
