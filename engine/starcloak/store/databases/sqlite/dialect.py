"""Names and values in the SQL of SQLite."""

from starcloak.statements.dialects import Dialect, register

SQLITE = register(Dialect("sqlite", hex_text="cast(x'{}' as text)", casts_decimals=False))
