"""Names and values in the SQL of Spark."""

from starcloak.statements.dialects import Dialect, register

# Within double quotes, a backslash begins an escape, too, so names stand in backticks.
SPARK = register(Dialect("spark", quote="`", escapes_backslashes=True, hex_text="cast(x'{}' as string)"))
