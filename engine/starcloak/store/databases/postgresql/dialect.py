"""Names and values in the SQL of PostgreSQL."""

from starcloak.statements.dialects import Dialect, register

POSTGRESQL = register(Dialect("postgresql", hex_bytes=r"'\x{}'::bytea", casts_doubles=True, casts_dates=True))
