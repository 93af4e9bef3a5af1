-- section: entries
-- Number of rows of a value group per sensitive value, as a list of structs. key is the number of the value (its code,
-- or another number by #numbers), value is the number of rows.
--
-- numbers  #numbers
map_entries(list_aggregate({numbers}, 'histogram'))

-- section: numbers
-- The numbers of a value group's sensitive values, as a list with an entry per row; null for a value without a number.
--
-- values   the text of the values, a character per row
-- before   the code point of the character for code 0, minus 1
-- numbers  the number of each value, in the order of the values' codes, as the text of a list
[
    list_extract(cast({numbers} as integer[]), unicode(character) - {before})
    for character in string_split({values}, '')
]

-- section: rows
-- Number of rows per sensitive value of a value group, as a list without the values, from the text of the values.
--
-- entries  #entries
coalesce([cast(entry.value as bigint) for entry in {entries}], [])

-- section: columns
-- Number of rows per sensitive value of a value group, as a list, from one column per value.
--
-- rows  the columns with the number of rows per value
[{rows}]

-- section: started
-- Values of a sensitive attribute in the rows of a tuple, as a text with one character per row.
--
-- code     the column with the code of a row's value, from 0
-- missing  the code of the missing value
-- first    the code point of the character for code 0
coalesce(
    string_agg(
        repeat(chr(cast({first} + coalesce({code}, {missing}) as integer)), cast(base.frequency as bigint)),
        ''
    ),
    ''
)

-- section: of_persons
-- Values of a sensitive attribute of the persons of a tuple, as a text with one character per person and value.
--
-- person   the column with the number of a row's person
-- code     the column with the code of a row's value, from 0
-- missing  the code of the missing value
-- first    the code point of the character for code 0
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
-- Values of a sensitive attribute in a value group, as one text: the texts of the tuples or groups merged into it.
--
-- values  the column with the text of values per tuple or merged group
coalesce(string_agg({values}, ''), '')

-- section: running
-- Sensitive values on one side of a cut, as one text. A cut splits the numeric values (children) of a region in two;
-- the window frame selects the children up to the cut, or the children after it.
--
-- values  the column with the text of sensitive values per child
-- frame   window frame of the side, such as `rows unbounded preceding`
-- side    name of the result's column for this side
coalesce(string_agg(counted.{values}, '') over (partition by region order by child {frame}), '') as {side}

-- section: in_order
-- The text of a tuple's values with sorted characters, since the order of rows is arbitrary.
--
-- values  the text of values
array_to_string(list_sort(string_split({values}, '')), '')

-- section: length
-- Number of characters in the text of a tuple's values: one per row, or per person and value.
--
-- values  the text of values
length({values})

-- section: present
-- Number of characters in the text of a tuple's values, without those of the missing value.
--
-- values   the text of values
-- missing  the code point of the missing value
length(replace({values}, chr({missing}), ''))
