-- A cell as it reads: two of them that somebody can tell apart read differently, in most types.
--
-- cell  the cell
cast({cell} as varchar)

-- dialect: mariadb
-- A cell, byte by byte: neither collations nor padding make two of them one. Its hash, as longer texts are grouped by
-- their beginnings, and what a function makes of one that nears max_allowed_packet is missing.
--
-- cell  the cell
sha2({cell}, 256)

-- dialect: postgresql
-- A cell as it reads, byte by byte. The text of a type of PostgreSQL's own tells all: the scale of a numeric, the parts
-- of an interval, the last digit of a float.
--
-- cell  the cell
cast({cell} as text) collate "C"

-- dialect: sqlite
-- A cell with its type, byte by byte. The text of a floating-point number has 15 digits, so that the connection brings
-- a function for its exact one, which no whole number has; what comes after a text is cut to whole characters.
--
-- cell  the cell
cast(
    case typeof({cell})
        when 'text' then 'text' || {cell}
        when 'real' then starcloak_real({cell})
        when 'blob' then 'blob' || hex({cell})
        else {cell}
    end as blob
)

-- section: bits
-- The bits of a floating-point number: 0.0 and -0.0 are equal, but not alike.
--
-- cell  the cell
cast({cell} as bit)

-- section: bytes
-- A text, byte by byte, whatever collation its column has.
--
-- cell  the cell
encode({cell})

-- section: float, dialect: mariadb
-- A floating-point number, exactly: the text of one of single precision has six digits, and that of a float(9, 2) two
-- decimals. There is no negative zero.
--
-- cell  the cell
sha2(cast({cell} as double), 256)

-- section: output, dialect: postgresql
-- A cell as it reads, byte by byte, of a type whose cast to text may be somebody's own and tell less: a row is written
-- by the functions that write the cells for every reader.
--
-- cell  the cell
cast(row({cell}) as text) collate "C"

-- dialect: spark
-- A cell as it reads: the text of a floating-point number is one that no other has, that of a moment is in UTC. Byte by
-- byte, whatever collation its column has.
--
-- cell  the cell
cast(cast({cell} as string) as binary)

-- section: binary, dialect: spark
-- Bytes, as they are.
--
-- cell  the cell
{cell}
