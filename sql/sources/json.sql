-- The rows of files of JSON lines. A name absent from an object is a missing value in it.
--
-- path     the file, or sources/files, such as `'hospital.jsonl'`
-- columns  the names, each with its type, so that no text is read as a date, such as `'zip': 'VARCHAR'`
--
-- One row per nonempty line.
select *
from read_ndjson({path}, columns = {{columns}}, hive_partitioning = false)

-- section: objects
-- The lines of files of JSON lines, with each value as written.
--
-- path  the file, or sources/files, such as `'hospital.jsonl'`
--
-- One row per nonempty line.
select json
from read_ndjson_objects({path}, hive_partitioning = false)

-- section: others
-- Number of lines without a JSON object.
--
-- objects  sources/json#objects
--
-- One row.
select count(*)
from {objects} as objects
where json_type(json) <> 'OBJECT'

-- section: kinds
-- The kinds of values of each name (key), over all lines.
--
-- objects  sources/json#objects
--
-- One row per name, in order of the name's last place in a line: a list of JSON types, with the word twice if a line
-- has the name twice.
with alike as (
    select distinct json_keys(json) as names, json_structure(json) as structure
    from {objects} as objects
),
members as (
    select names, unnest(names) as name, unnest(range(len(names))) as place, structure
    from alike
)
select
    name,
    list(
        distinct case
            when list_position(names, name) <= place then 'twice'
            -- Of objects and arrays it has the structure, which is an object or an array itself.
            else coalesce(structure ->> ('/' || replace(replace(name, '~', '~0'), '/', '~1')), 'NULL')
        end
    ) as kinds
from members
group by name
order by max(place), name

-- section: inexact
-- The names with numbers that cannot be read exactly.
--
-- objects         sources/json#objects
-- digits_written  sources/json#digits of the column number, such as `written`
-- digits_read     sources/json#digits of sources/json#double, such as `read`
--
-- One row per name with a long number: true for a number beyond 64-bit integers, true for a number changed as a double.
-- Numbers of fewer than 16 digits, without an exponent, are read unchanged.
with tokens as (
    -- Each text, with what follows if that is a number: a text within a text is none.
    select unnest(regexp_extract_all(json, '"(?:[^"\\]|\\.)*"(?:\s*:\s*-?[0-9][-+.0-9eE]*)?')) as token
    from {objects} as objects
    where regexp_matches(json, repeat('[.0-9]', 16) || '|[0-9][eE]')
),
numbers as (
    select
        json_extract_string(regexp_extract(token, '^"(?:[^"\\]|\\.)*"'), '$') as name,
        regexp_extract(token, '[-+.0-9eE]+$') as number
    from tokens
    where regexp_matches(token, '^"(?:[^"\\]|\\.)*"\s*:')
)
select
    name,
    bool_or(try_cast(number as bigint) is null) as no_integer,
    bool_or({digits_written} <> {digits_read}) as no_double
from numbers
group by name

-- section: digits
-- The significant digits of a number, without sign, point, exponent and zeros at either end.
--
-- number  the number, as text
trim(replace(regexp_replace({number}, '^-|[eE].*$', '', 'g'), '.', ''), '0')

-- section: double
-- A number after conversion to a double.
--
-- number  the number, as text
cast(try_cast({number} as double) as varchar)
