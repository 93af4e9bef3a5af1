"""Every type of every database, with two values of it that are equal or read the same somewhere, but not everywhere."""

from __future__ import annotations

# A type, and two values of it.
Pair = tuple[str, str, str]


DUCKDB: list[Pair] = [
    ("interval", "interval '1 month'", "interval '30 days'"),
    ("interval", "interval '1 day'", "interval '24 hours'"),
    ("double", "0.0::double", "-(0.0::double)"),
    ("float", "0.0::float", "-(0.0::float)"),
    ("double", "0.3::double", "0.1::double + 0.2::double"),
    ("float", "16777216", "16777218"),
    ("double", "'nan'::double", "'infinity'::double"),
    ("decimal(18, 3)", "1", "1.001"),
    ("hugeint", "170141183460469231731687303715884105726", "170141183460469231731687303715884105727"),
    ("varchar", "'a'", "'a '"),
    ("varchar", "''", "null"),
    ("varchar", "'NULL'", "null"),
    ("blob", "'\\xff'::blob", "'\\xfe'::blob"),
    ("bit", "'1'::bit", "'01'::bit"),
    ("timestamp_ns", "'2001-01-01 00:00:00.000000001'::timestamp_ns", "'2001-01-01 00:00:00.000000002'::timestamp_ns"),
    ("timestamp_s", "'2001-01-01 00:00:00'::timestamp_s", "'2001-01-01 00:00:01'::timestamp_s"),
    ("timestamptz", "'2001-01-01 00:00:00+00'::timestamptz", "'2001-01-01 00:00:00.000001+00'::timestamptz"),
    ("timetz", "'12:00:00+01'::timetz", "'11:00:00+00'::timetz"),
    ("time_ns", "'12:00:00.000000001'::time_ns", "'12:00:00.000000002'::time_ns"),
    ("uuid", "'ca275e97-91ef-4d2a-bb7f-cb4a0b2187ae'::uuid", "'ca275e97-91ef-4d2a-bb7f-cb4a0b2187af'::uuid"),
    ("json", "'{\"a\":1}'", "'{\"a\": 1}'"),
    ("varchar[]", "['a, b']", "['a', 'b']"),
    ("varchar[]", "[]", "null"),
    ("varchar[]", "[null]", "['NULL']"),
    ("integer[][]", "[[]]", "[null]"),
    ("double[]", "[0.0]", "[-(0.0::double)]"),
    ("float[2]", "[0.0::float, 1]", "[-(0.0::float), 1]"),
    ("interval[]", "[interval '1 month']", "[interval '30 days']"),
    ("struct(a varchar, b varchar)", "{'a': null, 'b': null}", "null"),
    ("struct(a varchar, b varchar)", "{'a': '', 'b': null}", "{'a': null, 'b': ''}"),
    ("struct(a double)", "{'a': 0.0}", "{'a': -(0.0::double)}"),
    ("map(varchar, double)", "map {'a': 0.0}", "map {'a': -(0.0::double)}"),
    ("map(varchar, integer)", "map {'a': 1, 'b': 2}", "map {'b': 2, 'a': 1}"),
]


UNIONS: list[Pair] = [
    ("union(a integer, b varchar)", "union_value(a := 1)", "union_value(b := '1')"),
    ("union(a integer, b varchar)", "union_value(a := null::integer)", "union_value(b := null::varchar)"),
    ("union(a integer, b varchar)", "union_value(a := null::integer)", "null"),
    ("union(a double, b varchar)", "union_value(a := 0.0)", "union_value(a := -(0.0::double))"),
]


# What Parquet has no type for, and what it changes.
NOT_IN_A_FRAME = ("interval[]", "bit", "bignum", "uhugeint", "timetz", "time_ns", "union", "geometry")


NOT_IN_PARQUET = ("interval", "hugeint", "bit", "timetz", "float[2]", "union")


POSTGRESQL: list[Pair] = [
    ("numeric", "1.0", "1.00"),
    ("numeric", "'NaN'", "null"),
    ("double precision", "0.3", "0.1::float8 + 0.2::float8"),
    ("double precision", "0", "'-0'"),
    ("real", "16777216", "16777218"),
    ("real", "0", "'-0'"),
    ("interval", "'1 month'", "'30 days'"),
    ("interval", "'1 day'", "'24 hours'"),
    ("json", "'{\"a\":1}'", "'{\"a\": 1}'"),
    ("jsonb", "'1.0'", "'1'"),
    ("jsonb", "'null'", "null"),
    ("integer[]", "'{1,2}'", "'[0:1]={1,2}'"),
    ("numeric[]", "'{1.0}'", "'{1.00}'"),
    ("text[]", "'{NULL}'", "'{\"NULL\"}'"),
    ("text[]", "'{}'", "null"),
    ("numrange", "'[1.0,2)'", "'[1.00,2)'"),
    ("int4multirange", "'{[1,2)}'", "'{}'"),
    ("point", "'(0,0)'", "'(-0,0)'"),
    ("path", "'[(0,0),(1,1)]'", "'((0,0),(1,1))'"),
    ("bit varying", "B'1'", "B'01'"),
    ("bytea", "'\\xff'", "'\\xfe'"),
    ("timestamptz", "'2001-01-01 00:00:00+00'", "'2001-01-01 00:00:00.000001+00'"),
    ("timetz", "'12:00:00+01'", "'11:00:00+00'"),
    ("money", "1.10", "1.11"),
    ("citext", "'a'", "'A'"),
    ("hstore", "'a=>1'", "'a=>\"1 \"'"),
    ("inet", "'10.0.0.1'", "'10.0.0.1/24'"),
    ("exact_pair", "(1.0, 'x')", "(1.00, 'x')"),
    ("exact_pair", "(null, null)", "null"),
    ("exact_folded", "(1.0, 'x')", "(1.00, 'x')"),
    ("exact_mood", "'x'", "'y'"),
    ("text", "''", "null"),
    ("text", "'a'", "'a '"),
    ("xml", "'<a/>'", "'<a></a>'"),
]


MARIADB: list[Pair] = [
    ("float", "16777216", "16777218"),
    ("float", "0.1", "0.10000001"),
    ("float(20, 2)", "16777216", "16777218"),
    ("double", "0.3e0", "0.1e0 + 0.2e0"),
    ("double(30, 2)", "1e15", "1e15 + 1"),
    ("decimal(40, 20)", "1", "1.00000000000000000001"),
    ("bit(8)", "b'11111111'", "b'11111110'"),
    ("bit(64)", "0xffffffffffffffff", "0xfffffffffffffffe"),
    ("binary(3)", "'a'", "'a '"),
    ("varbinary(9)", "x'ff'", "x'fe'"),
    ("varbinary(9)", "x'61'", "x'6100'"),
    ("blob", "x'ff'", "x'fe'"),
    ("blob", "''", "null"),
    ("json", "'{\"a\":1}'", "'{\"a\": 1}'"),
    ("enum('a', 'b')", "'a'", "'b'"),
    ("set('a', 'b')", "'a'", "'a,b'"),
    ("time(6)", "'100:00:00'", "'100:00:00.000001'"),
    ("time(6)", "'00:00:00.000001'", "'-00:00:00.000001'"),
    ("year", "2001", "2002"),
    ("date", "'2001-01-01'", "'2001-01-02'"),
    ("datetime(6)", "'2001-01-01 00:00:00'", "'2001-01-01 00:00:00.000001'"),
    ("timestamp(6) null", "'2001-01-01 00:00:00'", "'2001-01-01 00:00:00.000001'"),
    ("point", "point(0, 0)", "point(0, 1e-300)"),
    ("geometry", "st_geomfromtext('POINT(0 0)', 1)", "st_geomfromtext('POINT(0 0)', 2)"),
    ("varchar(9) character set latin1", "_latin1 x'e9'", "_latin1 x'e8'"),
    ("varchar(9) character set latin1", "_latin1 x'81'", "_latin1 x'8d'"),
    ("varchar(9) character set cp932", "_cp932 x'f040'", "_cp932 x'f041'"),
    ("varchar(9)", "'a'", "'a '"),
    ("varchar(9)", "'a'", "'A'"),
    ("varchar(9)", "''", "null"),
    ("inet6", "'::1'", "'::2'"),
    ("uuid", "'ca275e97-91ef-4d2a-bb7f-cb4a0b2187ae'", "'ca275e97-91ef-4d2a-bb7f-cb4a0b2187af'"),
    ("int(5) zerofill", "1", "2"),
    ("bigint unsigned", "18446744073709551614", "18446744073709551615"),
]


SQLITE: list[Pair] = [
    ("", "0.3", "0.1 + 0.2"),
    ("real", "0.3", "0.1 + 0.2"),
    ("", "1", "'1'"),
    ("", "1", "1.0"),
    ("", "'a'", "x'61'"),
    ("", "''", "x''"),
    ("", "null", "x''"),
    ("", "null", "''"),
    ("", "0.0", "-0.0"),
    ("", "9007199254740993", "9007199254740992.0"),
    ("", "9e999", "-9e999"),
    ("", "1", "'integer1'"),
    ("", "1.0", "'1.0'"),
    ("", "x'6100'", "x'6101'"),
    ("text", "'a'", "'a '"),
    ("text collate nocase", "'a'", "'A'"),
    ("text", "cast(x'ff' as text)", "cast(x'fe' as text)"),
    ("text", "cast(x'610062' as text)", "cast(x'610063' as text)"),
    ("text", "'1'", "x'31'"),
    ("integer", "1", "2"),
]


# Quasi-identifiers, which are released as they are.
PLAIN: dict[str, list[Pair]] = {
    "duckdb": [("double", "0.3", "0.1::double + 0.2::double"), ("varchar", "'a'", "'a '"), ("integer", "1", "2")],
    "postgresql": [("float8", "0.3", "0.1::float8 + 0.2"), ("citext", "'a'", "'A'"), ("bool", "true", "null")],
    "mariadb": [("double", "0.3e0", "0.1e0 + 0.2e0"), ("varchar(9)", "'a'", "'a '"), ("tinyint(1)", "1", "2")],
    "sqlite": [("", "1", "'1'"), ("", "'a'", "x'61'"), ("", "0.3", "0.1 + 0.2"), ("", "null", "''"), ("", "1", "1.0")],
}  # fmt: skip


KEPT = {"duckdb": DUCKDB + UNIONS, "postgresql": POSTGRESQL, "mariadb": MARIADB, "sqlite": SQLITE}
