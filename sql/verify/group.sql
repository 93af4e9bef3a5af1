-- A generalized text of the release, as it is grouped: byte by byte. Nothing in the working store does otherwise.
--
-- column  the column
{column}

-- dialect: mariadb
-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says; trailing spaces count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin

-- dialect: postgresql
-- A generalized text of the release, as it is grouped: byte by byte.
--
-- column  the column
{column} collate "C"

-- dialect: sqlite
-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says.
--
-- column  the column
{column} collate binary

-- dialect: spark
-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says.
--
-- column  the column
cast({column} as string collate utf8_binary)
