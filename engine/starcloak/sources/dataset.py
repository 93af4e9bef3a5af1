"""Example datasets: the Patients table of the Incognito paper, a generated census, and UCI Adult, if available."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from starcloak.base import installation
from starcloak.base.errors import SourceError

ADULT_MD5 = {
    "adult.data": "5d7c39d7b8804f071cdd1f2a7c460872",
    "adult.test": "35238206dfdf7f1fe215bbb874adecdc",
}
_ADULT_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"


def files(name: str) -> list[Path]:
    """The data files of a dataset: ``patients``, ``census`` or ``adult``. :func:`adult_folder` checks the latter.

    Raises :class:`SourceError` if Adult is not available.
    """
    if name == "patients":
        return [installation.schemas() / "patients" / "patients.csv"]
    if name == "census":
        return [installation.schemas() / "adult" / "marginals.csv"]
    folder = _find_adult(None, download=True)
    return [folder / file for file in ADULT_MD5]


def adult_folder(path: Path | None = None, *, download: bool = True) -> Path:
    """The folder with adult.data and adult.test, checked by their MD5 sums.

    The search order is: ``path``; ``$STARCLOAK_DATA``; ``../shared/data/uci``; the user's cache; the UCI repository,
    with a download into the cache. Raises :class:`SourceError` with the searched places.
    """
    folder = _find_adult(path, download=download)
    for file, expected in ADULT_MD5.items():
        if hashlib.md5((folder / file).read_bytes(), usedforsecurity=False).hexdigest() != expected:
            raise SourceError(
                f"{folder / file} is not the file of the UCI repository, as its MD5 sum differs: download it again"
            )
    return folder


def _find_adult(path: Path | None, *, download: bool) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "starcloak"
    places = [path] if path else []
    if not path and os.environ.get("STARCLOAK_DATA"):
        places.append(Path(os.environ["STARCLOAK_DATA"]))
    if not path:
        places += [Path("../shared/data/uci"), cache]
    for place in places:
        if all((place / file).is_file() for file in ADULT_MD5):
            return place.absolute()
    if not path and download and _download(cache):
        return cache
    looked = ", ".join(str(place) for place in places)
    raise SourceError(
        f"the dataset adult was not found in {looked}{'' if path else ' and at the UCI repository'}: put adult.data "
        "and adult.test into a folder, and set STARCLOAK_DATA to this folder"
    )


def _download(cache: Path) -> bool:
    import urllib.request

    fetched = {}
    for file, expected in ADULT_MD5.items():
        try:
            with urllib.request.urlopen(_ADULT_URL + file, timeout=20) as response:
                fetched[file] = response.read()
        except OSError:
            return False
        if hashlib.md5(fetched[file], usedforsecurity=False).hexdigest() != expected:
            return False
    cache.mkdir(parents=True, exist_ok=True)
    for file, content in fetched.items():
        staging = cache / f"{file}.part"
        staging.write_bytes(content)
        staging.rename(cache / file)
    return True
