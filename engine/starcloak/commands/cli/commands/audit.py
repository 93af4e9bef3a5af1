"""The risk of a table."""

from __future__ import annotations

from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import (
    OfSource,
    resources_of,
    source_of,
    with_json,
    with_population,
    with_resources,
    with_source,
)


@click.command("audit", cls=OfSource)
@click.argument("source")
@click.option("--qi", "quasi_identifiers", multiple=True, metavar="A,B,…", help="The quasi-identifier.")
@click.option("--sensitive", multiple=True, metavar="A,B,…", help="Sensitive columns.")
@click.option("--order", "orders", multiple=True, metavar="A:V,V,…", help="A sensitive column's values, in order.")
@click.option(
    "--hierarchy", "hierarchies", multiple=True, metavar="A:FILE", help="A sensitive column's hierarchy, CSV."
)
@click.option("--threshold", default="0.2", show_default=True, help="Probability above which a record is at risk.")
@click.option(
    "--distinction", default="0.95", show_default=True, help=("Distinction from which on a set of columns is listed.")
)
@click.option(
    "--sets",
    type=click.IntRange(0, 4),
    default=4,
    show_default=True,
    help="Largest number of columns in a searched set; 0: no search.",
)
@click.option("--sampling-fraction", type=float, help="The table's share of its population, for an estimate.")
@click.option(
    "--person", metavar="A,B,…", help=("Columns that identify the person of a row: a person counts once in a class.")
)
@click.option("--as-set", is_flag=True, help="With --person: a class is the persons with the same rows, each as often.")
@with_population
@with_source
@with_json
@with_resources
def command(
    source: str,
    quasi_identifiers: tuple[str, ...],
    sensitive: tuple[str, ...],
    orders: tuple[str, ...],
    hierarchies: tuple[str, ...],
    threshold: str,
    distinction: str,
    sets: int,
    sampling_fraction: float | None,
    person: str | None,
    as_set: bool,
    population: str | None,
    population_table: str | None,
    population_count: str | None,
    table: str | None,
    query: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure the risk of SOURCE, a file or a URL, raw or released: records at risk, and columns that single out
    rows.
    """
    from starcloak.commands.audit import audit as auditing
    from starcloak.commands.audit import text
    from starcloak.verify.population import PopulationSource

    place = source_of(source, table, query, options)
    if not quasi_identifiers:
        with resources_of(options) as resources:
            columns = auditing.columns_of(place, resources=resources)
        raise click.UsageError(
            f"--qi is missing: name the columns that others may know of a person, out of {','.join(columns)}; "
            "`starcloak init` proposes such columns"
        )
    request = auditing.AuditRequest(
        auditing.names_of(quasi_identifiers),
        auditing.names_of(sensitive),
        auditing.share(threshold, "--threshold"),
        auditing.share(distinction, "--distinction"),
        sampling_fraction,
        auditing.names_of([person] if person else []),
        None
        if population is None
        else PopulationSource(source_of(population, population_table, None, {}), count=population_count),
        {name: auditing.names_of([values]) for name, values in auditing.given_of(orders, "--order").items()},
        {name: {"csv": file} for name, file in auditing.given_of(hierarchies, "--hierarchy").items()},
        as_set,
        sets,
    )
    with resources_of(options) as resources:
        result = auditing.audit(place, request, resources=resources)
    say(result.model_dump_json(indent=2) if as_json else text.of(result))
