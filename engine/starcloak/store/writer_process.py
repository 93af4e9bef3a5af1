"""The process of a :class:`~starcloak.store.writer.Writer`: runs the statements that come, and answers with their rows.

It is a program, which has the folder of DuckDB's package as its argument: starcloak itself is not imported, and no row
gets here but by the statements. Without more statements it closes what it has open and ends.
"""

import os
import pickle
import sys


def main() -> None:
    """Answer each statement of standard input on standard output: its rows, or what DuckDB raised."""
    sys.path.append(sys.argv[1])
    import duckdb

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whoever prints does not answer
    connection = duckdb.connect(":memory:")
    while True:
        try:
            sql, binds = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        try:
            answer: object = connection.execute(sql, binds or None).fetchall()
        except duckdb.Error as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()
    connection.close()


if __name__ == "__main__":
    main()
