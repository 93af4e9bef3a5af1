"""Where the release of a job goes."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import JobPath, Settings, TableName
from starcloak.job.url import Url


class Output(Settings):
    """The release: a file (``path``: .csv or .parquet) or a ``table``, in the source's database or that of ``url``.

    With ``replace`` it may take the place of a release of another source. A CSV file has a comma between cells unless
    ``delimiter`` says otherwise, such as ``";"`` for spreadsheets of many countries; it is UTF-8, by ``encoding:
    utf-8-sig`` with the byte order mark in front by which Excel knows that.
    """

    path: JobPath | None = None
    table: TableName | None = None
    url: Url | None = None
    replace: StrictBool = False
    delimiter: Literal[",", ";", "\t", "|"] = ","
    encoding: Literal["utf-8", "utf-8-sig"] = "utf-8"

    @model_validator(mode="after")
    def _one_target(self) -> Output:
        if (self.path is None) == (self.table is None):
            raise PydanticCustomError("output", "give exactly one of path and table")
        if self.url is not None and self.table is None:
            raise PydanticCustomError("output", "a url needs a table")
        is_plain = self.delimiter == "," and self.encoding == "utf-8"
        if not is_plain and (self.path is None or self.path.suffix.lower() != ".csv"):
            raise PydanticCustomError("output", "a delimiter or an encoding is for a path that ends in .csv")
        if self.path is not None and self.path.suffix.lower() not in (".csv", ".parquet"):
            raise PydanticCustomError("output", "a path ends in .csv or .parquet")
        return self
