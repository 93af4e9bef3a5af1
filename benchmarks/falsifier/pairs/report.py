"""The report of a campaign, and the list of refusals beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.falsifier.pairs.campaign import Campaign, Pair

_GRAVE = ("certificate", "leak", "traceback", "hang", "crash")


def document(campaign: Campaign) -> dict[str, Any]:
    """The campaign as plain data."""
    refused = [pair for pair in campaign.pairs if not campaign.judged[pair] and campaign.why(pair)]
    always = _always(campaign)
    never = [p for p in campaign.pairs if not campaign.judged[p] and not campaign.why(p) and p not in always]
    texts = [text for finding in campaign.standing for text in finding["findings"]]
    return {
        "seed": campaign.seed,
        "jobs": campaign.jobs,
        "drawn": campaign.drawn,
        "released": sum(stretch.released for stretch in campaign.stretches.values()),
        "stretches": {
            commit: asdict(stretch) | {"seconds": round(stretch.seconds, 1)}
            for commit, stretch in campaign.stretches.items()
        },
        "features": len(campaign.chosen),
        "only": sorted(campaign.only),
        "pairs": len(campaign.pairs),
        "judged": sum(campaign.judged[pair] >= campaign.times for pair in campaign.pairs),
        "judged_at_all": sum(campaign.judged[pair] > 0 for pair in campaign.pairs),
        "times": campaign.times,
        "refused": len(refused),
        "always_refused": len(always),
        "open": len(campaign.open),
        "not_judged": sorted(map(list, never)),
        "false_certificates": sum(text.startswith("certificate") for text in texts),
        "leaks": sum(text.startswith("leak") for text in texts),
        "tracebacks": sum(text.startswith("traceback") for text in texts),
        "hangs": sum(text.startswith(("hang", "crash")) for text in texts),
        "differences": sum(not text.startswith(_GRAVE) for text in texts),
        "not_offered": dict(sorted(campaign.skipped.items())),
        "first_found": dict(sorted(campaign.first.items(), key=lambda item: item[1])),
        "refused_runs": dict(campaign.ended.most_common()),
        "findings": campaign.findings,
    }


def refusals(campaign: Campaign) -> dict[str, Any]:
    """The refusals by the fewest features that each comes from, with its message, without values."""
    refused = {**campaign.listed, **campaign.refusals}
    in_order = sorted((sorted(names), message) for names, message in refused.items())
    always = sorted(_always(campaign).items())
    return {
        "refused": [{"features": names, "message": message} for names, message in in_order],
        "always_refused": [{"features": list(pair), "message": message} for pair, message in always],
    }


def listed(path: Path | None) -> dict[frozenset[str], str]:
    """The refusals of a file that :func:`write` made."""
    if path is None:
        return {}
    told = json.loads(path.read_text(encoding="utf-8"))
    return {frozenset(each["features"]): each["message"] for each in told["refused"]}


def _always(campaign: Campaign) -> dict[Pair, str]:
    """Pairs refused in each of many scenarios, by several messages, with the most frequent one."""
    told = {p: campaign.always_refused(p) for p in campaign.pairs if not campaign.judged[p] and not campaign.why(p)}
    return {pair: message for pair, message in told.items() if message is not None}


def markdown(found: Mapping[str, Any], listed: Mapping[str, Any]) -> str:
    """The report."""
    lines = [
        "# Every pair of features",
        "",
        f"{_what(found)}. {found['jobs']:,} jobs were run and judged: "
        f"{found['drawn']:,} were drawn, and the others have fewer features of one that was refused or wrong. "
        f"{found['released']:,} of all released something.",
        "",
        "| | |",
        "|---|---|",
        f"| pairs judged at least {found['times']} times | {found['judged']:,} |",
        f"| pairs judged at all | {found['judged_at_all']:,} |",
        f"| pairs that are refused (list of refusals) | {found['refused']:,} |",
        f"| pairs refused in each of many scenarios, by several messages | {found['always_refused']:,} |",
        f"| pairs without effect together (listed below) | {len(found['not_judged']):,} |",
    ]
    for name in ("false_certificates", "leaks", "differences", "tracebacks", "hangs"):
        lines.append(f"| {name.replace('_', ' ')} that stand | {found[name]:,} |")
    lines += ["", "## Commits under which the jobs were run", "", "| commit | jobs | released | judgements of a pair |"]
    lines += ["|---|---|---|---|"]
    lines += [
        f"| {commit} | {each['jobs']:,} | {each['released']:,} | {each['judgements']:,} |"
        for commit, each in found["stretches"].items()
    ]
    lines += ["", "## Not offered by the result, so not judged", ""]
    lines += [f"- {name}: {count:,} jobs" for name, count in found["not_offered"].items()] or ["- nothing"]
    lines += ["", "## Never in effect together, such as a script of a data frame", ""]
    lines += [f"- {' + '.join(pair)}" for pair in found["not_judged"]] or ["- none"]
    lines += ["", "## Findings that stand", ""]
    standing = [each for each in found["findings"] if "gone" not in each]
    lines += [_told(each, text) for each in standing for text in each["findings"]] or ["- none"]
    lines += ["", "## Findings that a later commit no longer shows", ""]
    gone = [each for each in found["findings"] if "gone" in each]
    lines += [_told(each, text) for each in gone for text in each["findings"]] or ["- none"]
    lines += ["", "## Refusals, by the fewest features of each", ""]
    lines += [_refusal(each) for each in listed["refused"]] or ["- none"]
    lines += ["", "## Refused in each of many scenarios, with the most frequent message", ""]
    lines += [_refusal(each) for each in listed["always_refused"]] or ["- none"]
    return "\n".join(lines) + "\n"


def _what(found: Mapping[str, Any]) -> str:
    if found["only"]:
        return f"{' and '.join(found['only'])} with each of {found['features']} features: {found['pairs']:,} pairs"
    return f"{found['features']} features make {found['pairs']:,} pairs"


def _refusal(each: Mapping[str, Any]) -> str:
    return f"- {' + '.join(each['features'])}: {each['message']}"


def _told(finding: Mapping[str, Any], text: str) -> str:
    """A finding by the options that repeat it."""
    return f"- `--seed {finding['seed']} --case '{finding['shrunk']}'`: {text[:200]}"


def write(campaign: Campaign, stamp: Mapping[str, Any], folder: Path) -> None:
    """Write the report and the list of refusals."""
    found, listed = document(campaign), refusals(campaign)
    pages = {"falsify-pairs.json": {**stamp, **found}, "falsify-pairs-refused.json": listed}
    for name, content in pages.items():
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "falsify-pairs.md").write_text(markdown(found, listed), encoding="utf-8")
