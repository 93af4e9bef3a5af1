"""The pictures of the documentation, from those that the browser's tests leave: ``make screenshots``.

A palette, and no more of a long page than its upper part, keep each at a few ten kilobytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

SCREENS = ("table", "hierarchies", "requirement", "lattice", "preview", "release")
HEIGHT = 2000


def main(shots: Path, into: Path) -> None:
    """Every screen of the studio at both widths, and the report as it opens."""
    pictures = {shots / "full.png": into / "report.png"}
    for name in (f"{screen}-{width}.png" for screen in SCREENS for width in ("wide", "narrow")):
        pictures[shots / "studio-mouse-csv" / name] = into / f"studio-{name}"
    for shot, picture in pictures.items():
        with Image.open(shot) as drawn:
            upper = drawn.convert("RGB").crop((0, 0, drawn.width, min(drawn.height, HEIGHT)))
            upper.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
