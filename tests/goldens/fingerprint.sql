-- fingerprint/checksum
cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint)

-- fingerprint/checksum#cell
hash("before", cast("cell" as varchar))

-- fingerprint/checksum.mariadb
cast(sum(crc32(sha2(concat("before", coalesce(sha2("cell", 256), '-')), 256))) as signed)

-- fingerprint/checksum.mariadb#cell
sha2(concat("before", coalesce(sha2("cell", 256), '-')), 256)

-- fingerprint/checksum.postgresql
sum(cast(hashtextextended(coalesce(cast("cell" as text) collate "C", ''), "before" # cast(cast(cast("cell" as text) collate "C" is null as integer) as bigint)) >> 32 as integer))

-- fingerprint/checksum.postgresql#cell
hashtextextended(coalesce(cast("cell" as text) collate "C", ''), "before" # cast(cast(cast("cell" as text) collate "C" is null as integer) as bigint))

-- fingerprint/checksum.spark
sum(shiftright(xxhash64(`before`, cast(cast(`cell` as string) as binary) is null, cast(cast(`cell` as string) as binary)), 32))

-- fingerprint/checksum.spark#cell
xxhash64(`before`, cast(cast(`cell` as string) as binary) is null, cast(cast(`cell` as string) as binary))

-- fingerprint/checksum.sqlite
sum(starcloak_hash("before", cast(
    case typeof("cell")
        when 'text' then 'text' || "cell"
        when 'real' then starcloak_real("cell")
        when 'blob' then 'blob' || hex("cell")
        else "cell"
    end as blob
)))

-- fingerprint/checksum.sqlite#cell
starcloak_hash("before", cast(
    case typeof("cell")
        when 'text' then 'text' || "cell"
        when 'real' then starcloak_real("cell")
        when 'blob' then 'blob' || hex("cell")
        else "cell"
    end as blob
))

-- fingerprint/rows
select
    count(*) as rows,
    cast(coalesce(sum(hash(hash("cells"))), 0) as hugeint) as cells
from (
    select *
    from "rows"
)
