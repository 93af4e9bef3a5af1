-- cell/exact
cast("cell" as varchar)

-- cell/exact#bits
cast("cell" as bit)

-- cell/exact#bytes
encode("cell")

-- cell/exact.mariadb
sha2("cell", 256)

-- cell/exact.mariadb#float
sha2(cast("cell" as double), 256)

-- cell/exact.postgresql
cast("cell" as text) collate "C"

-- cell/exact.postgresql#output
cast(row("cell") as text) collate "C"

-- cell/exact.spark
cast(cast(`cell` as string) as binary)

-- cell/exact.spark#binary
`cell`

-- cell/exact.sqlite
cast(
    case typeof("cell")
        when 'text' then 'text' || "cell"
        when 'real' then starcloak_real("cell")
        when 'blob' then 'blob' || hex("cell")
        else "cell"
    end as blob
)

-- cell/union
[cast(union_tag("cell") as varchar), cast("cell" as varchar)]

-- cell/union#member
union_extract("cell", "member")
