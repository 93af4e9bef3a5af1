"""Each paper's tables and figures from the committed results, beside the paper's numbers where it prints some."""

from __future__ import annotations

from pathlib import Path

#: The pages of results of each paper.
PAGES = {
    "incognito-2005": ("incognito-counts", "incognito-taxonomies", "incognito-figures", "incognito-ratios"),
    "kaca-2006": ("kaca-2006",),
    "local-recoding-2008": ("kaca-2008", "kaca-multi"),
    "top-down-refinement-2007": (
        "classification-errors",
        "classification-families",
        "classification-qids",
        "classification-scale",
    ),
}
RESULTS = Path(__file__).parent / "results"


def pages(name: str) -> str:
    """What was measured of a paper, one page after the other; each begins with the command that measured it."""
    return "\n".join(f"# {page}\n\n{(RESULTS / f'{page}.md').read_text(encoding='utf-8')}" for page in PAGES[name])
