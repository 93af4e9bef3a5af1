"""The process of a :class:`~starcloak.store.writer.Writer`: runs the received statements, and answers with their rows.

The process is a program with two arguments: the folder of DuckDB's package and the number of the run's process, or 0.
It does not import starcloak, and receives rows by the statements alone. After the last statement it closes its
resources and ends. After the death of the run's process it ends at once, without any further commit; without a number,
it ends after the current statement.
"""

import os
import pickle
import sys
import threading
import time

_LOOKS = 0.05  # seconds between two looks for the run's process


def main() -> None:
    """Answer each statement of standard input on standard output: with its rows, or with the exception of DuckDB."""
    sys.path.insert(0, sys.argv[1])  # the very DuckDB of the run
    import duckdb

    if parent := int(sys.argv[2]):
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text is no answer
    connection = duckdb.connect(":memory:")
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        if job is None:
            break
        sql, binds = job
        try:
            answer: object = connection.execute(sql, binds or None).fetchall()
        except duckdb.Error as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()
    connection.close()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)


if __name__ == "__main__":
    main()
