"""The package of a workbook: a ZIP archive of XML parts, read without expanding entities or bombs."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from starcloak.base.errors import SourceError

_BLOCK = 1 << 18  # bytes parsed together
_HARMLESS = 100 << 20  # bytes of a part that no ratio makes suspicious
_HIGHEST_RATIO = 200  # of a larger part's bytes to its compressed bytes; tables have some 10 to 30
_ENCRYPTED_OR_OLD = b"\xd0\xcf\x11\xe0"
_DAMAGED = "open the file in a spreadsheet program and save it as .xlsx again"

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


class Relationship(NamedTuple):
    """A link from one part of the package to another: the last word of the link's type, and the target part."""

    kind: str
    target: str


def local(name: str) -> str:
    """Name of an XML element without its namespace prefix."""
    return name.rpartition(":")[2]


class Package:
    """The parts of a workbook. Every error is a :class:`SourceError` that begins with ``label``."""

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self._archive = archive
        self.label = label
        self._parts: dict[str, zipfile.ZipInfo] = {}
        for part in archive.infolist():
            if part.filename in self._parts:
                raise self.damaged("has two parts with the same name")
            self._parts[part.filename] = part
            if part.file_size > max(_HARMLESS, _HIGHEST_RATIO * part.compress_size):
                raise SourceError(
                    f"{label} has a file in its archive that unpacks to more than {_HIGHEST_RATIO} times its size, "
                    "as in an attack: check where the workbook comes from"
                )

    def damaged(self, problem: str) -> SourceError:
        """Return the error for a file in violation of the format."""
        return SourceError(f"{self.label} {problem}: {_DAMAGED}")

    def has(self, part: str) -> bool:
        """True if the package has a part of this name."""
        return part in self._parts

    def relationships(self, part: str) -> Mapping[str, Relationship]:
        """The links of a part to other parts of the package, by their identifiers."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        found: dict[str, Relationship] = {}

        def start(name: str, attributes: dict[str, str]) -> None:
            if local(name) == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
                kind = attributes.get("Type", "").rpartition("/")[2]
                found[attributes.get("Id", "")] = Relationship(kind, target)

        if self.has(path):
            self.parse(path, start)
        return found

    def parse(self, part: str, start: Start, end: End | None = None, text: Callable[[str], None] | None = None) -> None:
        """Call handlers for the elements of a part. An exception of a handler ends the parsing."""
        parser: Any = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        with self._reading(part) as content:
            while block := content.read(_BLOCK):
                parser.Parse(block, False)
            parser.Parse(b"", True)

    def _refuse_doctype(self, *_: object) -> None:
        raise SourceError(
            f"{self.label} has an XML document type declaration, as in an attack: check where the workbook comes from"
        )

    @contextmanager
    def _reading(self, part: str) -> Any:
        if not self.has(part):
            raise self.damaged("refers to a file that its archive lacks")
        try:
            with self._archive.open(self._parts[part]) as content:
                yield content
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise self.damaged(f"cannot be unpacked ({type(error).__name__})") from None
        except (expat.ExpatError, UnicodeError) as error:
            raise self.damaged(f"has a file in its archive that is not XML ({type(error).__name__})") from None


@contextmanager
def _opened(path: Path, label: str) -> Any:
    try:
        content: IO[bytes] = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise SourceError(f"{label} cannot be read ({type(error).__name__}): check the path and permissions") from None
    with content:
        if content.read(len(_ENCRYPTED_OR_OLD)) == _ENCRYPTED_OR_OLD:
            raise SourceError(f"{label} has a password, or is of the older format .xls: save it as .xlsx without one")
        try:
            archive = zipfile.ZipFile(content)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise SourceError(f"{label} is not a workbook (.xlsx) ({type(error).__name__}): save it as .xlsx") from None
        with archive:
            yield Package(archive, label)


def opened(path: Path, label: str) -> AbstractContextManager[Package]:
    """Context with the package of a file."""
    manager: AbstractContextManager[Package] = _opened(path, label)
    return manager
