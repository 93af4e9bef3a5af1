"""Names and values in the SQL of MariaDB."""

from starcloak.statements.dialects import Dialect, register

MARIADB = register(Dialect("mariadb", hex_text="_utf8mb4 x'{}'"))
