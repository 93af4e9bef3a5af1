"""Check of a table as it stands against a requirement."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from starcloak import privacy
from starcloak.base import violation_text
from starcloak.commands.cli import say
from starcloak.commands.cli.options import (
    FileOption,
    OfSource,
    resources_of,
    source_of,
    with_json,
    with_population,
    with_resources,
    with_source,
)

if TYPE_CHECKING:
    from starcloak.job import Qid
    from starcloak.job.check_result import ModelVerdict, QidVerdict, Verdict
    from starcloak.privacy.model import Model
    from starcloak.verify.population import PopulationDemand


def _by_models(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of privacy models, read from their rooms without importing more."""
    for folder in sorted(pkgutil.iter_modules(privacy.__path__), key=lambda folder: folder.name, reverse=True):
        if folder.ispkg:
            room = import_module(f"{privacy.__name__}.{folder.name}")
            if hasattr(room, "OPTION"):
                flag, form, example = room.OPTION
                help_text = f"{(room.__doc__ or '').rstrip('.')}: {example}."
                command = click.option(flag, multiple=True, metavar=form, help=help_text)(command)
    return command


def _once(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The value of an option, or None; several values are refused, because the last one would replace the others."""
    if len(values) > 1:
        raise click.UsageError(
            f"--qi is given several times: give it once, as in --qi {','.join(values)}, or give --qid with a k for "
            "each of several quasi-identifiers"
        )
    return values[0] if values else None


@click.command("check", cls=OfSource)
@click.argument("source")
@click.option(
    "--qi",
    metavar="A,B,…",
    multiple=True,
    callback=_once,
    help="The quasi-identifier: columns, separated by commas.",
)
@click.option("--k", type=click.IntRange(min=1), help="The smallest allowed equivalence class.")
@click.option(
    "--qid",
    "qids",
    multiple=True,
    metavar="A,B,…:K",
    help=("In place of --qi and --k: one of several quasi-identifiers, with its own k."),
)
@_by_models
@click.option(
    "--person", metavar="A,B,…", help=("Columns that identify the person of a row: classes then count persons.")
)
@click.option("--as-set", is_flag=True, help="With --person: k persons must have the same rows, each as often.")
@with_population
@click.option("--k-map", type=click.IntRange(min=1), help="The fewest people of the population in a class.")
@click.option(
    "--delta-presence", metavar="MIN:MAX", help=("Smallest and largest share of a class of the population in SOURCE.")
)
@click.option("--requirement", type=FileOption(), help="YAML file with a requirement, as in a job.")
@with_source
@with_json
@with_resources
def command(
    source: str,
    qi: str | None,
    k: int | None,
    qids: tuple[str, ...],
    person: str | None,
    as_set: bool,
    population: str | None,
    population_table: str | None,
    population_count: str | None,
    k_map: int | None,
    delta_presence: str | None,
    requirement: Path | None,
    table: str | None,
    query: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Check SOURCE, a file or a URL, as it stands against a requirement: exit code 0 or 1."""
    from starcloak.commands import pipeline

    place = source_of(source, table, query, options)
    with resources_of(options) as resources:
        requested_qids, models = _requirement_of(qi, k, qids, requirement, options)
        identifiers = tuple(name.strip() for name in (person or "").split(",") if name.strip())
        within = _within(population, population_table, population_count, k_map, delta_presence)
        verdict = pipeline.check(
            place, requested_qids, models=models, person=identifiers, as_set=as_set, within=within, resources=resources
        )
    if as_json or not options["quiet"]:
        say(verdict.model_dump_json(indent=2) if as_json else _verdict(verdict, identifiers))
    for note in verdict.notes:  # last, where they are read
        say(f"starcloak: warning: {note}", err=True)
    if not verdict.holds:
        sys.exit(1)


def _within(
    population: str | None, table: str | None, count: str | None, k_map: int | None, presence: str | None
) -> PopulationDemand | None:
    """The requirements within a population (k-map, delta-presence), or None without --population."""
    from starcloak.base.errors import JobError
    from starcloak.commands.audit.audit import share
    from starcloak.verify.population import PopulationDemand, PopulationSource

    if population is None:
        if k_map is not None or presence is not None:
            raise JobError("--k-map and --delta-presence compare the table with a population: give --population")
        return None
    shares = None
    if presence is not None:
        least, _, most = presence.partition(":")
        shares = share(least, "--delta-presence"), share(most, "--delta-presence")
    return PopulationDemand(PopulationSource(source_of(population, table, None, {}), count=count), k_map, shares)


def _requirement_of(
    qi: str | None, k: int | None, qids: tuple[str, ...], file: Path | None, options: Mapping[str, Any]
) -> tuple[Sequence[Qid], Sequence[Model]]:
    """The QIDs and the privacy models of a check, from the command's options or from the file of --requirement.

    QIDs are given by --qi with --k, or each by --qid as columns:k.
    """
    from starcloak.job import Qid, load_requirement
    from starcloak.privacy.model import optional

    named = [name.strip() for name in (qi or "").split(",")]
    models_given: dict[str, Any] = {}
    for flag, (model, form, example) in optional().items():
        values = options[flag.lstrip("-").replace("-", "_")]
        read = [_parts(value, flag, form, example, model) for value in values]
        if len({item["attribute"] for item in read}) < len(read):
            raise click.UsageError(f"{flag} names an attribute twice: give each attribute once")
        models_given.setdefault(model.key, []).extend(read)
    models_given = {key: items for key, items in models_given.items() if items}
    if file is not None:
        if models_given or k is not None or qids:
            raise click.UsageError(
                "--requirement has the whole requirement: leave --k, --qid and the options of models out; --qi may stay"
            )
        requirement = load_requirement(file)
        if (requirement.qids is None) == (qi is None):
            raise click.UsageError(
                "--qi goes with a requirement that has k, not with one that has qids: give --qi for k, or leave "
                "--qi out for qids"
            )
        return requirement.qids or [Qid(attributes=named, k=requirement.k or 1)], requirement.models
    if bool(qids) == (qi is not None) or (qi is None) != (k is None):
        raise click.UsageError(
            "the quasi-identifier or its k is missing or given twice: give --qi and --k, or one or more --qid such "
            "as --qid age,sex:4"
        )
    described = [_name_and_number(qid, "--qid", "age,sex:4") for qid in qids] or [(qi or "", k or 0)]
    if any(not name.strip() for names, _ in described for name in names.split(",")):
        flag = "--qid" if qids else "--qi"
        raise click.UsageError(f"{flag} has no name before or after a comma: give names of columns, such as age,sex")
    requirement = load_requirement(
        {
            "qids": [{"attributes": [name.strip() for name in names.split(",")], "k": k} for names, k in described],
            **models_given,
        }
    )
    return requirement.qids or (), requirement.models


def _parts(value: str, flag: str, form: str, example: str, model: type[Model]) -> dict[str, Any]:
    """The settings of one model from an option's value, such as disease:3; a wrong form is a usage error."""
    parts = [part.strip() for part in value.rsplit(":", form.count(":"))]
    try:
        if len(parts) == form.count(":") + 1 and all(parts):
            return _item(model, form, parts)
    except ValueError:
        pass
    raise click.UsageError(f"{flag} has a value of a wrong form: give {form}, such as {example}")


def _item(model: type[Model], form: str, parts: Sequence[str]) -> dict[str, Any]:
    """The settings of one model from the parts of an option's value.

    ``form`` names the settings in capitals, with A for the attribute: A:C:L. Raises :class:`ValueError` for a text in
    place of a whole number.
    """
    item: dict[str, Any] = {}
    for name, part in zip(form.lower().split(":"), parts, strict=True):
        setting = "attribute" if name == "a" else name
        item[setting] = int(part) if model.model_fields[setting].annotation is int else part
    kind = model.model_fields.get("kind")
    if kind is not None and kind.is_required():
        (item["kind"],) = get_args(kind.annotation)
    return item


def _name_and_number(text: str, option: str, example: str) -> tuple[str, int]:
    """A name and its number, as in disease:3."""
    name, _, number = text.rpartition(":")
    if not (name and number.isascii() and number.isdigit()):
        raise click.UsageError(
            f"{option} has a value of a wrong form: give columns, a colon and a number, such as {example}"
        )
    return name.strip(), int(number)


def _verdict(verdict: Verdict, person: Sequence[str]) -> str:
    """The verdict in words; ``person`` has the columns that identify a person."""
    lost = [qid for qid in verdict.qids if not qid.holds]
    lines = [line for qid in verdict.qids for line in _qid_verdict(verdict, qid)]
    return "\n".join([*lines, *(_remedies(verdict, lost, person) if lost else [])])


def _qid_verdict(verdict: Verdict, qid: QidVerdict) -> Iterator[str]:
    names = ", ".join(qid.attributes)
    if qid.k is not None:
        of = f", counting {qid.of}{' with the same rows' * qid.as_set}" if qid.of != "rows" else ""
        yield f"holds: {verdict.source} is {qid.k}-anonymous over ({names}){of}: {qid.classes:,} {_kind(qid)}"
    elif qid.violating_classes == 0:
        yield f"holds: {verdict.source} is at least {qid.required_k}-anonymous over ({names})"
    elif verdict.rows is None and qid.required_k == max(qid.required_k for qid in verdict.qids):
        yield f"does not hold: {verdict.source} has fewer than {qid.required_k} rows in all"
    else:
        yield f"does not hold: {_violations(verdict, qid, qid)} fewer than {qid.required_k} {qid.of}"
    for model in qid.models:
        if model.holds:
            yield f"holds: every class over ({names}) has {model.described}"
        elif verdict.rows is not None:
            yield f"does not hold: {_violations(verdict, qid, model)} not {model.described}"


def _violations(verdict: Verdict, qid: QidVerdict, part: QidVerdict | ModelVerdict) -> str:
    if None in (part.violating_classes, part.violating_rows, qid.classes):  # of a release
        return f"some {_kind(qid)} of {verdict.source} over ({', '.join(qid.attributes)}) have"
    classes = f"{part.violating_classes:,} of {qid.classes:,} {_kind(qid)} of {verdict.source}"
    rows = part.violating_rows
    return f"{violation_text.describe(classes, qid.attributes, rows, k=qid.required_k, of=verdict.rows)} have"


def _kind(qid: QidVerdict) -> str:
    return "histories of persons" if qid.as_set else "classes"


def _remedies(verdict: Verdict, lost: list[QidVerdict], person: Sequence[str]) -> Iterator[str]:
    """Lines with the next steps for the user after a failed check."""
    for qid in lost:
        if qid.holds_without:
            yield f"next: {violation_text.remedy(qid.attributes, qid.holds_without)}"
    small = [qid for qid in lost if qid.violating_classes != 0]
    if small:
        left_out = (
            (", or suppress the rows of small classes by requirement.suppression") if len(verdict.qids) == 1 else ""
        )
        yield f"next: generalize the table with `starcloak run JOB.yaml`{left_out}"
    else:
        yield "next: generalize further with a job of a larger k, or leave the violating rows out in a query"
    for qid in small:
        if verdict.rows is not None and not qid.as_set:
            yield f"next: list the small classes: {_small_classes(qid, person)}"


def _small_classes(qid: QidVerdict, person: Sequence[str]) -> str:
    """The query of the classes with fewer than k rows, or persons, of a table written as …."""
    names, count, table = _quoted(qid.attributes), "count(*)", "…"
    if len(person) == 1:
        count = f"count(distinct {_quoted(person)})"
    elif person:
        table = f"(select distinct {_quoted(dict.fromkeys([*qid.attributes, *person]))} from …) as persons"
    return f"select {names}, {count} from {table} group by {names} having {count} < {qid.required_k}"


def _quoted(names: Iterable[str]) -> str:
    from starcloak.statements.statement import Name

    return ", ".join(Name(name).sql() for name in names)
