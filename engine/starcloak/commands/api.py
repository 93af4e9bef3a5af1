"""The Python interface: jobs, data frames, files and database tables in; releases out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import JobError
from starcloak.commands import find_result, pipeline
from starcloak.commands import hierarchies as hierarchy_counting
from starcloak.commands import lattice as counting
from starcloak.commands.audit import audit as auditing
from starcloak.commands.audit.result import Audit
from starcloak.commands.comparison import compare as comparing
from starcloak.commands.comparison.result import Comparison
from starcloak.commands.counted_lattice import CountedLattice
from starcloak.commands.explanation import explain as explaining
from starcloak.commands.explanation.result import Explanation
from starcloak.commands.hierarchies import CountedHierarchy
from starcloak.commands.pipeline import compile, run
from starcloak.commands.preview import preview as previewing
from starcloak.commands.preview.result import Preview
from starcloak.commands.profile import init as profiling
from starcloak.commands.release import Release
from starcloak.job import Job, load_person, load_requirement, load_source
from starcloak.job.attack_result import Attacks
from starcloak.job.check_result import Verdict
from starcloak.job.result import Result
from starcloak.privacy.model import models
from starcloak.store.resources import Resources
from starcloak.verify.population import PopulationDemand, PopulationSource

if TYPE_CHECKING:
    from starcloak.base.frames import Frame

__all__ = [
    "anonymize",
    "attack",
    "audit",
    "check",
    "compare",
    "compile",
    "explain",
    "hierarchies",
    "init",
    "lattice",
    "preview",
    "read_release",
    "run",
]


def anonymize(
    data: Frame | str | Path | Mapping[str, str],
    *,
    quasi_identifiers: Mapping[str, Any] | Sequence[str],
    k: int | None = None,
    qids: Sequence[Mapping[str, Any]] | None = None,
    suppression: float | Decimal | str = 0,
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    resources: Resources = Resources(),
    force: bool = False,
    **job: Any,
) -> Release:
    """Anonymize a data frame, a file, or a table.

    The run searches a recoding, verifies the release and publishes it. Without an ``output`` the release stays in
    memory: ``release.to_pandas()``. k-anonymity: LeFevre, DeWitt, Ramakrishnan 2005, section 1.1.

    Args:
        data: A data frame, the path of a file, or a job's ``source`` mapping.
        quasi_identifiers: A mapping of columns to hierarchies, or a list of columns of the job's ``schema``.
        k: The least number of rows, or persons, in a class; at least 1. Without ``qids``.
        qids: Several quasi-identifiers, such as ``[{"attributes": ["age", "sex"], "k": 4}, …]``. Without ``k``.
        suppression: The largest share of suppressed rows (0 … 1).
        population: The population that ``k_map`` and ``delta_presence`` refer to, in a form of ``data``; see
            :func:`check`.
        population_count: The column of ``population`` with the number of people that a row stands for.
        resources: Memory, threads and callbacks of the run.
        force: Make the release again even if nothing changed.
        job: Other keys of a job (identifiers, sensitive, keep, person, objective, output, seed …), and privacy models
            and their ``reference`` under the names they have in a job, such as ``l_diversity=[{"attribute": "disease",
            "l": 3}]``.

    Returns:
        The verified release.

    Raises:
        InputError: The data or the job cannot be used.
        RequirementError: The requirement cannot be met. After any error nothing is written; see :func:`run`.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 47, 49], "zip": ["53715"] * 4, "illness": ["flu", "cold"] * 2})
    >>> hierarchies = {"age": sc.intervals(10, 20), "zip": sc.digits(5)}
    >>> release = sc.anonymize(frame, quasi_identifiers=hierarchies, sensitive=["illness"], k=2)
    >>> release.k, release.result.recoding.levels
    (2, {'age': 1, 'zip': 0})
    >>> sorted(release.to_pandas()["age"])
    ['[30, 40)', '[30, 40)', '[40, 50)', '[40, 50)']
    """
    further = {key: job.pop(key) for key in (*models(), "reference") if key in job}
    described = {
        **job,
        "quasi_identifiers": dict(quasi_identifiers) if isinstance(quasi_identifiers, Mapping) else quasi_identifiers,
        "requirement": {"k": k, "qids": qids, "suppression": str(suppression), **further},
    }
    more: dict[str, Any] = {"resources": resources, "force": force}
    if isinstance(population, (str, Path, Mapping)):
        place = {"path": str(population)} if isinstance(population, (str, Path)) else dict(population)
        counted = {} if population_count is None else {"count": population_count}
        described["requirement"]["population"] = {**place, **counted}
    elif population is not None:
        more |= {"population": population, "population_count": population_count}
    if isinstance(data, (str, Path)):
        return run({**described, "source": {"path": str(data)}}, **more)
    if isinstance(data, Mapping):
        return run({**described, "source": dict(data)}, **more)
    return run(described, frame=data, **more)


def check(
    data: Frame | str | Path | Mapping[str, str],
    quasi_identifiers: Sequence[str] | str | None = None,
    k: int | None = None,
    *,
    qids: Sequence[Mapping[str, Any]] | None = None,
    person: Sequence[str] | str | Mapping[str, Any] = (),
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    k_map: int | None = None,
    delta_presence: tuple[float | Decimal | str, float | Decimal | str] | None = None,
    resources: Resources = Resources(),
    **further: Any,
) -> Verdict:
    """Check a data frame, a file, or a table as it stands for k-anonymity (Li, Wong, Fu, Pei 2008, Definition 3).

    Args:
        data: A data frame, the path of a file, or a job's ``source`` mapping.
        quasi_identifiers: The columns of the quasi-identifier. Without ``qids``.
        k: The least number of rows, or persons, in a class; at least 1. Without ``qids``.
        qids: Several quasi-identifiers with a k each, such as ``[{"attributes": ["age", "sex"], "k": 4}, …]`` (Fung,
            Wang, Yu 2007, Definition 1).
        person: Columns that identify the person of a row: classes then count persons in place of rows. With
            ``{"column": …, "as": "set"}``, k persons must have the same rows, each as often.
        population: The population of the table, in a form of ``data`` (see :func:`audit`).
        population_count: The column of ``population`` with the number of people that a row stands for.
        k_map: The least number of people of the population in every class.
        delta_presence: The smallest and the largest share (0 … 1) of a class's people of the population in the table.
        resources: Memory, threads and callbacks of the check.
        further: Privacy models under the names they have in a job, such as ``l_diversity=[{"attribute": "disease", "l":
            3}]``.

    Returns:
        The verdict. For a table known as a release, counts from 1 to k - 1 are None.

    Raises:
        InputError: The data cannot be read.
        JobError: ``k`` or ``qids`` is missing, or ``population`` is missing for k-map and delta-presence.

    >>> import starcloak as sc
    >>> verdict = sc.check({"dataset": "patients"}, ["sex", "zipcode"], k=2)
    >>> verdict.holds, verdict.qids[0].violating_rows
    (False, 2)
    >>> sc.check({"dataset": "patients"}, "sex", k=2, l_diversity=[{"attribute": "disease", "l": 2}]).holds
    True
    """
    if isinstance(quasi_identifiers, str):
        quasi_identifiers = [quasi_identifiers]
    if (quasi_identifiers is None) == (qids is None) or (quasi_identifiers is None) != (k is None):
        raise JobError("check needs a requirement: give quasi_identifiers and k, or give qids")
    if qids is None:
        qids = [{"attributes": list(quasi_identifiers or ()), "k": k}]
    requirement = load_requirement({"qids": list(qids), **further})
    identifiers, as_set = load_person(person)
    more: dict[str, Any] = {
        "models": requirement.models,
        "person": identifiers,
        "as_set": as_set,
        "resources": resources,
    }
    if population is not None:
        shares = None
        if delta_presence is not None:
            least, most = (auditing.share(bound, "delta-presence") for bound in delta_presence)
            shares = least, most
        more["within"] = PopulationDemand(_register(population, population_count), k_map, shares)
    elif k_map is not None or delta_presence is not None:
        raise JobError("k_map and delta_presence compare the table with a population: give population")
    if isinstance(data, (str, Path)):
        return pipeline.check(load_source({"path": data}), requirement.qids or (), **more)
    if isinstance(data, Mapping):
        return pipeline.check(load_source(data), requirement.qids or (), **more)
    return pipeline.check(None, requirement.qids or (), frame=data, **more)


def audit(
    data: Frame | str | Path | Mapping[str, str],
    quasi_identifiers: Sequence[str] | str,
    sensitive: Sequence[str] | str = (),
    *,
    threshold: float | Decimal | str = "0.2",
    distinction: float | Decimal | str = "0.95",
    sampling_fraction: float | None = None,
    person: Sequence[str] | str | Mapping[str, Any] = (),
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    orders: Mapping[str, Sequence[str | None]] = {},
    hierarchies: Mapping[str, Any] = {},
    sets: int = 4,
    resources: Resources = Resources(),
) -> Audit:
    """Measure the risk of a data frame, a file, or a table, raw or released.

    Args:
        data: A data frame, the path of a file, or a job's ``source`` mapping.
        quasi_identifiers: The columns that an attacker may know.
        sensitive: The sensitive columns.
        threshold: The risk (0 … 1) above which a record is at risk.
        distinction: The distinction (0 … 1) from which on a set of columns is listed.
        sampling_fraction: The share (0 … 1) of the population in the table. With it, population figures are estimated.
        person: Columns that identify the person of a row: a person then counts once in a class. With ``{"column": …,
            "as": "set"}``, classes are of persons with the same rows, each as often.
        population: A population of people, in a form of ``data``. Journalist and marketer risk are then counted by the
            classes of the population.
        population_count: The column of ``population`` with the number of people that a row stands for.
        orders: For each sensitive column its values in order, for the t of t-closeness with ordered distance.
        hierarchies: Hierarchies of sensitive columns as in a job, for the t of t-closeness with hierarchical distance.
        sets: The largest number of columns in the searched sets of columns that single rows out.
        resources: Memory, threads and callbacks of the audit.

    Returns:
        The figures of the audit. For a release, counts from 1 to k - 1 are None.

    Raises:
        InputError: The data cannot be read, or has no rows.

    >>> import starcloak as sc
    >>> audit = sc.audit({"dataset": "patients"}, ["sex", "zipcode"], "disease")
    >>> audit.rows, audit.uniques, audit.prosecutor.highest
    (6, 2, 1.0)
    """
    identifiers, as_set = load_person(person)
    request = auditing.AuditRequest(
        (quasi_identifiers,) if isinstance(quasi_identifiers, str) else tuple(quasi_identifiers),
        (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
        auditing.share(threshold, "threshold"),
        auditing.share(distinction, "distinction"),
        sampling_fraction,
        identifiers,
        None if population is None else _register(population, population_count),
        orders,
        hierarchies,
        as_set,
        sets,
    )
    if isinstance(data, (str, Path)):
        return auditing.audit(load_source({"path": data}), request, resources=resources)
    if isinstance(data, Mapping):
        return auditing.audit(load_source(data), request, resources=resources)
    return auditing.audit(None, request, frame=data, resources=resources)


def _register(data: Frame | str | Path | Mapping[str, str], count: str | None) -> PopulationSource:
    if isinstance(data, (str, Path)):
        return PopulationSource(load_source({"path": data}), count=count)
    if isinstance(data, Mapping):
        return PopulationSource(load_source(data), count=count)
    return PopulationSource(None, data, count)


def read_release(release: str | Path | Mapping[str, str]) -> Result:
    """Read the result of the run that made a release.

    The result comes from the manifest kept by the run on this machine. A file must still be the released one.

    Args:
        release: The path of a released file, or a job's ``source`` mapping of a table.

    Raises:
        SourceError: There is no manifest, or the file changed.

    >>> import tempfile, starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = sc.run({**job, "output": {"path": f"{folder}/released.csv"}})
    ...     found = sc.read_release(f"{folder}/released.csv")
    >>> found.search.anonymous_levels[0], [(size.least, size.rows) for size in found.class_sizes]
    ({'birthdate': 1, 'sex': 1, 'zipcode': 0}, [(2, 6)])
    """
    return find_result.of_place(load_source({"path": release} if isinstance(release, (str, Path)) else release))


def init(
    data: Frame | str | Path | Mapping[str, str], into: str | Path = "job.yaml", *, resources: Resources = Resources()
) -> list[Path]:
    """Profile a data frame, a file, or a table, and write a first job for it.

    The job runs without changes; for a data frame as ``run(job, frame=data)``.

    Args:
        data: A data frame, the path of a file, or a job's ``source`` mapping.
        into: The path of the job file.
        resources: Memory, threads and callbacks of the profiling.

    Returns:
        The job file and the files of its hierarchies, all accessible to their owner alone.

    Raises:
        InputError: The data cannot be read or has no rows, or another file has the path of a file to be written.

    >>> import tempfile, starcloak as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     job, *hierarchies = sc.init({"dataset": "patients"}, f"{folder}/job.yaml")
    ...     release = sc.run(job)
    >>> job.name
    'job.yaml'
    """
    profiling.refuse(Path(into))
    place, frame = None, None
    if isinstance(data, (str, Path)):
        place = load_source({"path": data})
    elif isinstance(data, Mapping):
        place = load_source(data)
    else:
        frame = data
    drafted = profiling.draft(place, into=Path(into), frame=frame, resources=resources)
    return profiling.write(drafted, Path(into))


def compare(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    ks: Sequence[int] = comparing.KS,
    algorithms: Sequence[str] = (),
    suppressions: Sequence[float | Decimal | str] = (),
    frame: Any = None,
    resources: Resources = Resources(),
) -> Comparison:
    """Compare releases of a job, in cost and risk: each algorithm with each suppression and k.

    A point is the release for one algorithm, suppression and k. Every point is verified like a release, and no point is
    published.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        ks: The values of k.
        algorithms: Names of algorithms; by default the job's own.
        suppressions: The largest shares of suppressed rows (0 … 1); by default the job's own.
        frame: A data frame in place of the job's source.
        resources: Memory, threads and callbacks of the comparison.

    Returns:
        The comparison with its points. A point without a release has the reason as its ``problem``.

    Raises:
        InputError: The job cannot be used.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> comparison = sc.compare(job, ks=[2, 3], algorithms=["witness", "mondrian"])
    >>> [(point.algorithm, point.k) for point in comparison.points if point.released]
    [('witness', 2), ('witness', 3), ('mondrian', 2), ('mondrian', 3)]
    """
    shares = tuple(auditing.share(share, "suppression") for share in suppressions)
    request = comparing.ComparisonRequest(tuple(ks), tuple(algorithms), shares)
    return comparing.compare(job, request, frame=frame, resources=resources)


def attack(
    job: Job | Mapping[str, Any] | str | Path, *, frame: Any = None, resources: Resources = Resources()
) -> Attacks:
    """Attack releases of a job: singling out, linkability and inference, each with a control group.

    A random half of the people in the rows that the job releases is held out as the control group; the job makes a
    release of the other half. People in suppressed rows are in neither half. Singling out: a predicate of released
    cells matches exactly one person. Linkability: two halves of the quasi-identifiers are linked through the release.
    Inference: a person's cell of a kept column is guessed from the person's class. Risk (0 … 1) is the success rate
    beyond the rate on the control group: (attack - control) / (1 - control), with an interval of 95 %. The random
    halves depend on the job's seed and on a secret of the custodian: they are the same in each call, and nobody else
    can repeat them. Nothing is published.

    Giomi, Boenisch, Wehmeyer, Tasnádi 2022, section 3; Article 29 Working Party, Opinion 05/2014 (WP 216), section 2.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        resources: Memory, threads and callbacks of the attacks.

    Raises:
        JobError: A hierarchy is a table or a further column of the source's database, or persons are sets. Other errors
            as in :func:`run`.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [str(age) for age in range(200)], "disease": ["flu", "cold"] * 100})
    >>> job = {"quasi_identifiers": {"age": "suppress"}, "sensitive": ["disease"], "requirement": {"k": 2}}
    >>> [attack.released.rate for attack in sc.attack(job, frame=frame).of("Singling out")]
    [0.0, 0.0]
    """
    from starcloak.commands.attacks import attack as attacking

    return attacking.attack(job, frame=frame, resources=resources)


def explain(
    job: Job | Mapping[str, Any] | str | Path, *, frame: Any = None, resources: Resources = Resources()
) -> Explanation:
    """Explain the release of a job: the attribute that blocks a lower level, the costliest column, weaker requirements.

    Reads the source, writes nothing. Raises as :func:`run` does.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        resources: Memory, threads and callbacks of the explanation.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> sc.explain(job).levels
    {'birthdate': 1, 'sex': 1, 'zipcode': 0}
    """
    return explaining.explain(job, frame=frame, resources=resources)


def lattice(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    population: Frame | str | Path | Mapping[str, str] | None = None,
    population_count: str | None = None,
    resources: Resources = Resources(),
) -> CountedLattice:
    """Count the full-domain lattice of a job once: the classes of every node by size.

    After that :meth:`~starcloak.commands.counted_lattice.CountedLattice.at` answers every k and suppression without the
    data: the satisfying nodes, each node's suppressed rows and loss (0 … 1), and the node that a run would choose.
    :meth:`~starcloak.commands.counted_lattice.CountedLattice.levels_at` lists all satisfying nodes. In a lattice too
    large for this, only the frontier (minimal satisfying nodes for some k) is counted, and ``complete`` is false. The
    counts are for the custodian alone: classes may have one row. Reads the source, writes nothing.

    LeFevre, DeWitt, Ramakrishnan 2005, section 2 and Figure 3.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        population: The population for models such as k-map, as in :func:`check`, in place of the requirement's.
        population_count: The column of ``population`` with the number of people that a row stands for.
        resources: Memory, threads and callbacks of the counting.

    Raises:
        JobError: The job has several QIDs or compares persons as sets, or the lattice is too large within a population.
            Other errors as in :func:`run`.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> lattice = sc.lattice(job)
    >>> answer = lattice.at(k=2, suppression=0.34)
    >>> dict(zip(lattice.attributes, lattice.nodes[answer.chosen].tolist())), int(answer.left_out[answer.chosen])
    ({'birthdate': 1, 'sex': 0, 'zipcode': 0}, 2)
    """
    people = None if population is None else _register(population, population_count)
    return counting.lattice(job, frame=frame, people=people, resources=resources)


def hierarchies(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    most: int = 200,
    resources: Resources = Resources(),
) -> list[CountedHierarchy]:
    """Count the hierarchies of a job over its source: the values of every level with their rows.

    The result has raw values of rows, so it is for the custodian of the source alone. Reads the source, writes nothing.
    Raises as :func:`run` does, but errors of a hierarchy are returned.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        most: The largest number of values listed per level, and of leaves.
        resources: Memory, threads and callbacks of the counting.

    Returns:
        One entry per quasi-identifier. The entry of a hierarchy that does not fit the source has the error as its
        ``problem``, and lists the source's values without a leaf.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> [(level.label, level.first) for level in sc.hierarchies(job)[1].levels]
    [('as it is', [('Female', 3), ('Male', 3)]), ('*', [('*', 6)])]
    """
    return hierarchy_counting.hierarchies(job, frame=frame, most=most, resources=resources)


def preview(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: Any = None,
    sample: int = 50,
    values: int = 12,
    resources: Resources = Resources(),
) -> Preview:
    """Show the release of a job beside its source: verified and not published.

    The result has raw values of rows, so it is for the custodian of the source alone. Raises as :func:`run` does.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        sample: The number of different tuples shown of released and of suppressed rows, the largest changes first.
        values: The number of most frequent values shown of every quasi-identifier, before and after.
        resources: Memory, threads and callbacks of the preview.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> preview = sc.preview(job, sample=1)
    >>> preview.k, preview.changes[0].before["birthdate"], preview.changes[0].after["birthdate"]
    (2, '1976-01-21', '*')
    """
    return previewing.preview(job, frame=frame, sample=sample, values=values, resources=resources)
