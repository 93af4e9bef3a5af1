"""An installed starcloak on any system: ``python tests/installed.py`` runs the commands beside this Python.

It needs starcloak with the extras studio and excel, works in a new folder, and prints seconds; a failure ends it with
exit code 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from pathlib import Path

PROGRAM = Path(sysconfig.get_path("scripts")) / ("starcloak.exe" if os.name == "nt" else "starcloak")
COMMANDS = (
    ["--version"],
    ["demo", "--into", "demo"],
    ["init", "people.csv"],
    ["run", "job.yaml"],
    ["check", "job-release.csv", "--qi", "age,sex", "--k", "2"],
    ["report", "job-release.csv", "--into", "report.html"],
    ["init", "visits.xlsx", "--sheet", "Visits", "--header", "3", "--into", "visits.yaml"],
    ["run", "visits.yaml"],
    ["report", "visits-release.xlsx", "--into", "visits.html"],
)


def main() -> None:
    """Run the commands, then open the studio and end it."""
    rows = "".join(f"n{row},{20 + row % 40},{'fm'[row // 40 % 2]}\r\n" for row in range(240))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (Path(folder) / "people.csv").write_bytes(f"name,age,sex\r\n{rows}".encode())
        _write_workbook(Path(folder) / "visits.xlsx")
        for arguments in COMMANDS:
            begun = time.monotonic()
            done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, check=False)
            print(f"{' '.join(arguments)}: {time.monotonic() - begun:.2f} s", flush=True)
            if done.returncode != 0:
                sys.exit(done.stderr.decode(errors="replace"))
        _open_studio(Path(folder))


def _write_workbook(path: Path) -> None:
    """A workbook with a sheet of notes, and a table under a title, of dates, leading zeros and a blank row."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as workbook:
        workbook.add_worksheet("Notes").write(0, 0, "made for the audit")
        sheet = workbook.add_worksheet("Visits")
        sheet.write(0, 0, "Visits")
        sheet.write_row(2, 0, ["name", "zip", "day", "sex"])
        zeros, day = (workbook.add_format({"num_format": code}) for code in ("00000", "dd.mm.yyyy"))
        for number in range(240):
            row = 3 + number + number // 120
            sheet.write(row, 0, f"n{number}")
            sheet.write(row, 1, 1230 + number % 8, zeros)
            sheet.write(row, 2, 45_000 + number % 60, day)
            sheet.write(row, 3, "fm"[number // 40 % 2] + " " * (number % 7 == 0))


def _open_studio(folder: Path) -> None:
    command = [PROGRAM, "studio", "job.yaml", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as studio:
        assert studio.stdout is not None
        try:
            line = studio.stdout.readline()
            address = re.search(r"http://\S+", line)
            if address is None:
                sys.exit(f"the studio has no address: {line}")
            with urllib.request.urlopen(address[0]) as answer:
                print(f"studio: {answer.status}")
        finally:
            studio.terminate()


if __name__ == "__main__":
    main()
