-- section: entries
-- Number of rows of a value group for each number of its sensitive values, as a list of structs: key is the number,
-- value its rows.
--
-- numbers  #numbers
map_entries(list_aggregate({numbers}, 'histogram'))

-- section: numbers
-- The numbers of a value group's sensitive values, as a list with an entry per row; null for a value without a number.
--
-- values   the text of the values, a character per row
-- before   the code point before that of the first value
-- numbers  the number of each value, in the order of the values' codes, as the text of a list
[
    list_extract(cast({numbers} as integer[]), unicode(character) - {before})
    for character in string_split({values}, '')
]

-- section: rows
-- Number of rows of a value group with each of its values, as a list.
--
-- entries  #entries
coalesce([cast(entry.value as bigint) for entry in {entries}], [])

-- section: columns
-- The same from a column per value.
--
-- rows  how many rows have each value, one column each
[{rows}]

-- section: started
-- Values of a sensitive attribute in the rows of a tuple: a text with a character per row.
--
-- code     the column of the values' numbers, from 0
-- missing  the number of the missing value
-- first    the code point of the first value
coalesce(
    string_agg(
        repeat(chr(cast({first} + coalesce({code}, {missing}) as integer)), cast(base.frequency as bigint)),
        ''
    ),
    ''
)

-- section: of_persons
-- Values of a sensitive attribute in the rows of a tuple: a text with a character per person and value.
--
-- person   the column of the persons' numbers
-- code     the column of the values' numbers, from 0
-- missing  the number of the missing value
-- first    the code point of the first value
coalesce(
    array_to_string(
        [
            chr(cast({first} + pair.code as integer))
            for pair in list(distinct struct_pack(person := {person}, code := coalesce({code}, {missing})))
                filter (where {person} is not null)
        ],
        ''
    ),
    ''
)

-- section: merged
-- Values of a sensitive attribute in a value group, from its parts.
--
-- values  the text of each part
coalesce(string_agg({values}, ''), '')

-- section: running
-- Values of a sensitive attribute on one side of a numeric cut: of the children up to one, or of the others.
--
-- values  the text of each child
-- frame   window frame of the side, such as `rows unbounded preceding`
-- side    the side's own column
coalesce(string_agg(counted.{values}, '') over (partition by region order by child {frame}), '') as {side}

-- section: in_order
-- The text of a tuple with its characters in order: rows come in any.
--
-- values  the text
array_to_string(list_sort(string_split({values}, '')), '')

-- section: length
-- Number of values in the text of a tuple.
--
-- values  the text
length({values})

-- section: present
-- Number of values in the text of a tuple, without the missing value.
--
-- values   the text
-- missing  the code point of the missing value
length(replace({values}, chr({missing}), ''))
