"""The report of a campaign, and the list of refusals beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.falsifier.pairs.campaign import Campaign


def document(campaign: Campaign) -> dict[str, Any]:
    """The campaign as plain data."""
    refused = [pair for pair in campaign.pairs if not campaign.judged[pair] and campaign.why(pair)]
    never = [p for p in campaign.pairs if not campaign.judged[p] and not campaign.why(p)]
    texts = [text for finding in campaign.findings for text in finding["findings"]]
    return {
        "seed": campaign.seed,
        "jobs": campaign.jobs,
        "seconds": round(campaign.seconds, 1),
        "features": len(campaign.chosen),
        "pairs": len(campaign.pairs),
        "judged": sum(campaign.judged[pair] >= campaign.times for pair in campaign.pairs),
        "times": campaign.times,
        "refused": len(refused),
        "open": len(campaign.open),
        "not_judged": sorted(map(list, never)),
        "false_certificates": sum(text.startswith("certificate") for text in texts),
        "leaks": sum(text.startswith("leak") for text in texts),
        "tracebacks": sum(text.startswith("traceback") for text in texts),
        "hangs": sum(text.startswith(("hang", "crash")) for text in texts),
        "differences": sum(
            not text.startswith(("certificate", "leak", "traceback", "hang", "crash")) for text in texts
        ),
        "not_offered": dict(sorted(campaign.skipped.items())),
        "first_found": dict(sorted(campaign.first.items(), key=lambda item: item[1])),
        "refused_runs": dict(campaign.ended.most_common()),
        "findings": campaign.findings,
    }


def refusals(campaign: Campaign) -> dict[str, Any]:
    """The refusals by the fewest features that each comes from, with its message, without values."""
    listed = sorted((sorted(names), message) for names, message in campaign.refusals.items())
    return {"refused": [{"features": names, "message": message} for names, message in listed]}


def markdown(found: Mapping[str, Any], listed: Mapping[str, Any]) -> str:
    """The report."""
    lines = [
        "# Every pair of features",
        "",
        f"{found['jobs']:,} jobs of seed {found['seed']}, {found['seconds']:,.0f} s. {found['features']} features make "
        f"{found['pairs']:,} pairs.",
        "",
        "| | |",
        "|---|---|",
        f"| pairs judged at least {found['times']} times | {found['judged']:,} |",
        f"| pairs that are refused (list of refusals) | {found['refused']:,} |",
        f"| pairs never judged | {len(found['not_judged']):,} |",
    ]
    for name in ("false_certificates", "leaks", "differences", "tracebacks", "hangs"):
        lines.append(f"| {name.replace('_', ' ')} | {found[name]:,} |")
    lines += ["", "## Not offered by the result, so not judged", ""]
    lines += [f"- {name}: {count:,} jobs" for name, count in found["not_offered"].items()] or ["- nothing"]
    lines += ["", "## Findings, by the job that first showed each", ""]
    lines += [f"- job {job}: {sign}" for sign, job in found["first_found"].items()] or ["- none"]
    lines += ["", "## Refusals, by the fewest features of each", ""]
    lines += [f"- {' + '.join(each['features'])}: {each['message']}" for each in listed["refused"]] or ["- none"]
    return "\n".join(lines) + "\n"


def write(campaign: Campaign, stamp: Mapping[str, Any], folder: Path) -> None:
    """Write the report and the list of refusals."""
    found, listed = document(campaign), refusals(campaign)
    pages = {"falsify-pairs.json": {**stamp, **found}, "falsify-pairs-refused.json": listed}
    for name, content in pages.items():
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "falsify-pairs.md").write_text(markdown(found, listed), encoding="utf-8")
